package org.openwop.negotiator;

import com.dylibso.chicory.compiler.InterpreterFallback;
import com.dylibso.chicory.compiler.MachineFactoryCompiler;
import com.dylibso.chicory.runtime.ByteArrayMemory;
import com.dylibso.chicory.runtime.ExportFunction;
import com.dylibso.chicory.runtime.Instance;
import com.dylibso.chicory.runtime.Machine;
import com.dylibso.chicory.runtime.Memory;
import com.dylibso.chicory.wasm.ChicoryException;
import com.dylibso.chicory.wasm.Parser;
import com.dylibso.chicory.wasm.WasmModule;
import com.dylibso.chicory.wasm.types.MemoryLimits;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * The canonical ABI of the component model, by hand, for the one shape that every function of the
 * {@code json} interface has: {@code func(request: string) -> result<string, string>}. Its memory
 * rules:
 *
 * <ol>
 *   <li>A string is (address, length in bytes), and its bytes must be UTF-8: the component trusts
 *       that and does not look again. NUL is a character like any other. A lone surrogate, which a
 *       Java string can hold, cannot be written in UTF-8: such text is refused here and never
 *       reaches the component.
 *   <li>The request is written into memory that the component hands out: {@code cabi_realloc(old
 *       address 0, old size 0, alignment 1, length)}. From the call on the component owns and frees
 *       it. An empty request needs no memory.
 *   <li>A {@code result<string, string>} is too large for a register, so the function returns the
 *       address of twelve bytes: one tag byte (0 ok, 1 error), three of padding, address and length
 *       of the text, each 32 bits and little-endian.
 *   <li>Those twelve bytes and the text stay valid until {@code cabi_post_<function>(address)},
 *       which frees both. So: copy the text out, then call it, exactly once.
 *   <li>Any call may grow memory; {@link Memory} hides that it moves, and every read here copies.
 *   <li>After a trap the component may be in the middle of anything: the instance is thrown away.
 * </ol>
 *
 * An instance is for one thread at a time.
 */
final class Abi {
  private static final String JSON = "openwop:negotiation/json@2.0.0#";

  /** Most memory of an instance, in pages of 64 KiB: 16 MiB. Growth past this is a fault. */
  private static final int MAX_PAGES = 256;

  static final List<String> OPERATIONS =
      List.of(
          "configure",
          "settle",
          "refuse",
          "decide",
          "record",
          "digest",
          "rounds",
          "fresh",
          "facets",
          "check",
          "task-state");

  /** An answer: JSON text either way. */
  record Answer(boolean ok, String text) {}

  /** A module, compiled to JVM bytecode once for all instances. */
  static final class Code {
    private final WasmModule module;
    private final Function<Instance, Machine> machines;

    Code(byte[] wasm) {
      try {
        module = Parser.parse(wasm);
        // A function too large for a JVM method is interpreted.
        machines =
            MachineFactoryCompiler.builder(module)
                .withInterpreterFallback(InterpreterFallback.SILENT)
                .compile();
      } catch (ChicoryException e) {
        throw new ComponentException("the component cannot be compiled", e);
      }
    }

    Abi instantiate() {
      try {
        var limits = module.memorySection().orElseThrow().getMemory(0).limits();
        var instance =
            Instance.builder(module)
                .withMachineFactory(machines)
                .withMemoryFactory(ByteArrayMemory::new)
                .withMemoryLimits(new MemoryLimits(limits.initialPages(), MAX_PAGES))
                .build();
        return new Abi(instance);
      } catch (ChicoryException e) {
        throw new ComponentException("the component cannot be instantiated", e);
      }
    }
  }

  private record Call(ExportFunction run, ExportFunction post) {}

  private final Memory memory;
  private final ExportFunction realloc;
  private final Map<String, Call> calls = new HashMap<>();
  private boolean broken;

  private Abi(Instance instance) {
    memory = instance.memory();
    realloc = instance.export("cabi_realloc");
    for (String operation : OPERATIONS) {
      var name = JSON + operation;
      calls.put(operation, new Call(instance.export(name), instance.export("cabi_post_" + name)));
    }
  }

  /** Whether a call did not come back, so that the instance must not be used again. */
  boolean broken() {
    return broken;
  }

  /**
   * Makes one request.
   *
   * @throws ComponentException the component failed and there is no answer
   */
  Answer ask(String operation, String request) {
    var call = calls.get(operation);
    if (call == null) {
      throw new IllegalArgumentException("no such operation");
    }
    ByteBuffer bytes;
    try {
      bytes = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(request)); // rule 1
    } catch (CharacterCodingException e) {
      return new Answer(
          false,
          "{\"error\":{\"code\":\"bad-request\",\"path\":\"request\",\"problem\":\"must be UTF-8\"}}");
    }
    broken = true; // until it came back whole (rule 6)
    try {
      int length = bytes.remaining();
      int address = 1;
      if (length > 0) {
        address = (int) realloc.apply(0, 0, 1, length)[0]; // rule 2
        memory.write(address, bytes.array(), bytes.arrayOffset(), length);
      }
      int result = (int) call.run.apply(address, length)[0]; // rule 3
      int tag = memory.read(result);
      byte[] text = memory.readBytes(memory.readInt(result + 4), memory.readInt(result + 8));
      if (tag != 0 && tag != 1) {
        throw new ComponentException("the component gave no result", null);
      }
      call.post.apply(result); // rule 4
      broken = false;
      return new Answer(tag == 0, new String(text, StandardCharsets.UTF_8));
    } catch (ChicoryException | IndexOutOfBoundsException | NegativeArraySizeException e) {
      throw new ComponentException("the component failed", e);
    }
  }
}
