/** Where a controller hears which keys to reconcile: `sourceOf` makes one of a cache, and anything that lists and tells of changes can be one. */
export interface Source {
  isSynced(): boolean;
  whenSynced(signal: AbortSignal): Promise<void>;
  /** Tells of the keys of every object there is, and from then on of those of every object that changes. Returns what ends it. */
  subscribe(listener: SourceListener): () => void;
  /** Tells of the keys of every object there is, once. */
  visitAll(listener: SourceListener): void;
}

export interface SourceListener {
  key(key: string): void;
  /** The mapping function threw for the object of this key. The others are not affected. */
  failed(key: string, thrown: unknown): void;
}
