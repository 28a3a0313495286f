interface LeaseRecord {
  readonly uid: string;
  readonly namespaceUid?: string | undefined;
}

/** Pods or claims of leases, by the namespace that they are in. One whose namespace is not known is nobody's. */
export class LeaseRecords<T extends LeaseRecord> {
  readonly #all = new Map<string, T>(); // uid -> record
  readonly #byNamespace = new Map<string, Map<string, T>>(); // uid of the namespace -> uid -> record
  #leftOut: ReadonlySet<string> = new Set(); // uids

  of(namespaceUid: string): readonly T[] {
    const all = [...(this.#byNamespace.get(namespaceUid)?.values() ?? [])];
    return this.#leftOut.size === 0 ? all : all.filter(({ uid }) => !this.#leftOut.has(uid));
  }

  /** Shows all but those of these uids from now on, whether or not they are known yet. Answers the uids of the namespaces that are not what they were. */
  leaveOut(uids: ReadonlySet<string>): ReadonlySet<string> {
    const before = this.#leftOut;
    this.#leftOut = uids;
    const changed = [...uids, ...before].filter((uid) => uids.has(uid) !== before.has(uid));
    return new Set(changed.flatMap((uid) => this.#all.get(uid)?.namespaceUid ?? []));
  }

  /** Answers the uids of the namespaces that are not what they were. */
  take(kind: 'whole' | 'delta', records: readonly T[], removed: readonly string[]): ReadonlySet<string> {
    const touched = new Set<string>();
    const listed = new Set(records.map(({ uid }) => uid));
    const gone = kind === 'whole' ? [...this.#all.keys()].filter((uid) => !listed.has(uid)) : removed;
    for (const uid of gone) this.#remove(uid, touched);
    for (const record of records) {
      this.#remove(record.uid, touched);
      this.#all.set(record.uid, record);
      const { namespaceUid } = record;
      if (namespaceUid === undefined) continue;
      const members = this.#byNamespace.get(namespaceUid) ?? new Map<string, T>();
      this.#byNamespace.set(namespaceUid, members.set(record.uid, record));
      touched.add(namespaceUid);
    }
    return touched;
  }

  #remove(uid: string, touched: Set<string>): void {
    const namespaceUid = this.#all.get(uid)?.namespaceUid;
    this.#all.delete(uid);
    if (namespaceUid === undefined) return;
    touched.add(namespaceUid);
    const members = this.#byNamespace.get(namespaceUid);
    members?.delete(uid);
    if (members?.size === 0) this.#byNamespace.delete(namespaceUid);
  }
}
