// Makes a component of policy.js: node build.mjs WIT-FOLDER OUT.wasm

import { readFile, rename, writeFile } from "node:fs/promises";
import { componentize } from "@bytecodealliance/componentize-js";

const [wit, out] = process.argv.slice(2);
const { component } = await componentize(await readFile(new URL("policy.js", import.meta.url), "utf8"), {
  witPath: wit,
  worldName: "policy-provider",
  // A policy gets neither clock nor randomness nor network: with all of these off it imports nothing.
  disableFeatures: ["stdio", "random", "clocks", "http", "fetch-event"],
});
await writeFile(`${out}.part`, component);
await rename(`${out}.part`, out);
