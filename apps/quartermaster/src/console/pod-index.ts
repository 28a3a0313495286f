import type { ConsolePod, PodPage, PodQuery } from '@quartermaster/console';
import type { PodFacts } from './read-facts.ts';

interface IndexedPod {
  readonly key: string;
  readonly facts: PodFacts;
  readonly changedAt: number;
}

/**
 * All pods in the order in which they changed, of which pages are cut. A change costs the same with 150 000 pods as with ten, a
 * page one pass over them; a page that was cut is kept until any pod changes.
 */
export class PodIndex {
  readonly #pods = new Map<string, IndexedPod>(); // namespace/name -> pod; the one that changed last is the last
  readonly #pages = new Map<string, PodPage>(); // query -> its page
  #ordered: readonly IndexedPod[] | undefined;
  #lastChangedAt = 0;
  #isInOrder = true;

  get size(): number {
    return this.#pods.size;
  }

  set(key: string, facts: PodFacts, changedAt: number): void {
    this.#forgetPages();
    this.#isInOrder &&= changedAt >= this.#lastChangedAt;
    this.#lastChangedAt = changedAt;
    this.#pods.delete(key);
    this.#pods.set(key, { key, facts, changedAt });
  }

  delete(key: string): void {
    this.#forgetPages();
    this.#pods.delete(key);
  }

  /** Those that changed last come first. */
  page(query: PodQuery): PodPage {
    const text = JSON.stringify([query.text, query.phase, query.node, query.page, query.size]);
    const page = this.#pages.get(text) ?? this.#cut(query);
    this.#pages.set(text, page);
    return page;
  }

  #cut(query: PodQuery): PodPage {
    const pods = this.#inOrder();
    const matches = matcherOf(query);
    const first = query.page * query.size;
    const rows: ConsolePod[] = [];
    let matching = 0;
    for (let index = pods.length - 1; index >= 0; index -= 1) {
      const pod = pods[index];
      if (pod === undefined || !matches(pod)) continue;
      if (matching >= first && rows.length < query.size) rows.push(consolePod(pod));
      matching += 1;
    }
    return { total: pods.length, matching, pods: rows };
  }

  #inOrder(): readonly IndexedPod[] {
    if (!this.#isInOrder) {
      const sorted = [...this.#pods.values()].toSorted((a, b) => a.changedAt - b.changedAt || (a.key < b.key ? 1 : -1));
      this.#pods.clear();
      for (const pod of sorted) this.#pods.set(pod.key, pod);
      this.#lastChangedAt = sorted.at(-1)?.changedAt ?? 0;
      this.#isInOrder = true;
    }
    this.#ordered ??= [...this.#pods.values()];
    return this.#ordered;
  }

  #forgetPages(): void {
    this.#ordered = undefined;
    if (this.#pages.size > 0) this.#pages.clear();
  }
}

function matcherOf({ text = '', phase, node }: PodQuery): (pod: IndexedPod) => boolean {
  // The names that Kubernetes allows here are in lower case.
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return ({ key, facts }) =>
    (phase === undefined || facts.phase === phase) &&
    (node === undefined || facts.node === node) &&
    words.every((word) => key.includes(word) || facts.node?.includes(word) === true);
}

function consolePod({ facts: { namespace, name, phase, node }, changedAt }: IndexedPod): ConsolePod {
  return { namespace, name, phase, node, changedAt };
}
