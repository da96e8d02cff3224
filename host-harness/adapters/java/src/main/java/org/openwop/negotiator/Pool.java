package org.openwop.negotiator;

import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Instances that threads share: each is used by one thread at a time, made when it is first needed,
 * and thrown away after a trap. Who comes when all are busy waits.
 */
final class Pool {
  private final Semaphore slots;
  private final Supplier<Abi> create;
  private final ConcurrentLinkedDeque<Abi> idle = new ConcurrentLinkedDeque<>();

  Pool(int size, Supplier<Abi> create) {
    this.slots = new Semaphore(size);
    this.create = create;
  }

  <T> T with(Function<Abi, T> use) {
    slots.acquireUninterruptibly();
    try {
      var instance = idle.pollFirst();
      if (instance == null) {
        instance = create.get();
      }
      try {
        return use.apply(instance);
      } finally {
        if (!instance.broken()) {
          idle.addFirst(instance);
        }
      }
    } finally {
      slots.release();
    }
  }
}
