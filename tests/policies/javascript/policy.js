// The policy `highest` in JavaScript: the best legal candidate. It takes no settings.

export const policy = {
  configure(settings) {
    if (settings !== "") {
      // What is thrown becomes the error of the result.
      throw "settings must be empty: the policy `highest` takes none";
    }
  },

  judge({ candidates }) {
    // Best first, and never empty.
    return { tag: "grant", val: candidates[0] };
  },
};
