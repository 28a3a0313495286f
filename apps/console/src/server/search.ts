import { podKey, type SearchHit } from '@quartermaster/api/inventory-views';
import { bestOf, type RankedHit, rankOfName, searchWords } from '@quartermaster/inventory/views';
import type { ConsoleSource } from '../console-source.ts';

const maxHits = 12;

/** Looked through for names that start with the text; those come first. */
const maxPodsSearched = 100;

/** What the text names: parts of the installation, pods, and what the inventory finds; a dozen at most. */
export function search(source: ConsoleSource, query: string): readonly SearchHit[] {
  const words = searchWords(query);
  if (words === undefined) return [];
  const ranked = (hits: readonly SearchHit[]): RankedHit[] => hits.map((hit) => ({ ...hit, rank: rankOfName(hit.label, words) ?? 3 }));
  const parts = source.current().parts.map(({ name, state }) => ({ kind: 'part', id: name, label: name, detail: state }));
  const pods = (source.pods({ text: words.text, page: 0, size: maxPodsSearched })?.pods ?? []).map((pod) => ({
    kind: 'pod',
    id: podKey(pod),
    label: pod.name,
    detail: `${pod.namespace} · ${pod.phase}`,
  }));
  const found = Map.groupBy(source.inventory?.search(query, maxHits).hits ?? [], ({ kind }) => kind);
  const named = parts.filter(({ label }) => rankOfName(label, words) !== undefined);
  const held = pods.filter(({ id }) => rankOfName(id, words) !== undefined);
  return bestOf([named, ...found.values(), held].map(ranked), maxHits);
}
