/**
 * Where MCP sessions and their versions are kept. Share one between processes that share sessions.
 * A session that is not found is read as no session: its messages must then name their version,
 * and are refused on the record if they do not.
 */
export interface Sessions {
  get(sessionId: string): Promise<string | undefined> | string | undefined;
  put(sessionId: string, version: string): Promise<void> | void;
  drop(sessionId: string): Promise<void> | void;
}

/** Sessions of one process; the longest unused are forgotten beyond `limit`. */
export class MemorySessions implements Sessions {
  #versions = new Map<string, string>();

  constructor(private readonly limit = 100_000) {}

  get(sessionId: string): string | undefined {
    const version = this.#versions.get(sessionId);
    if (version !== undefined) this.put(sessionId, version);
    return version;
  }

  put(sessionId: string, version: string): void {
    // A map keeps the order in which members came.
    this.#versions.delete(sessionId);
    this.#versions.set(sessionId, version);
    for (const oldest of this.#versions.keys()) {
      if (this.#versions.size <= this.limit) break;
      this.#versions.delete(oldest);
    }
  }

  drop(sessionId: string): void {
    this.#versions.delete(sessionId);
  }
}
