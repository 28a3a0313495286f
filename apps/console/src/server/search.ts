import { podKey } from '../topics/pods-topic.ts';
import type { SearchHit } from '../topics/stream-message.ts';
import type { TopicInput } from './topic-readers.ts';

/** Finds things of one kind whose name holds the text, which is in lower case and not empty. May give more than are shown. */
type Searcher = (input: TopicInput, text: string) => Iterable<SearchHit>;

const maxHits = 12;

/** Looked through for names that start with the text; those come first. */
const maxPodsSearched = 100;

// What can be found. A new kind is one more line here, and a page that knows where to show it.
const searchers: readonly Searcher[] = [
  ({ snapshot }, text) =>
    snapshot.parts
      .filter(({ name }) => holds(name, text))
      .map(({ name, state }) => ({ kind: 'part', id: name, label: name, detail: state })),
  ({ snapshot }, text) =>
    (snapshot.cluster?.nodes ?? [])
      .filter(({ name }) => holds(name, text))
      .map(({ name, state }) => ({ kind: 'node', id: name, label: name, detail: state })),
  ({ source: { inventory } }, text) =>
    (inventory?.storage() ?? [])
      .filter(({ name }) => holds(name, text))
      .map(({ name, refusal }) => ({ kind: 'class', id: name, label: name, detail: refusal === undefined ? 'offered' : refusal.code })),
  ({ source: { inventory } }, text) =>
    (inventory?.findGpus(text, maxHits) ?? []).map(({ id, node, model }) => ({
      kind: 'gpu',
      id: `${node} ${id}`,
      label: id,
      detail: `${model} · ${node}`,
    })),
  ({ source }, text) =>
    (source.pods({ text, page: 0, size: maxPodsSearched })?.pods ?? [])
      .filter((pod) => holds(podKey(pod), text))
      .map((pod) => ({ kind: 'pod', id: podKey(pod), label: pod.name, detail: `${pod.namespace} · ${pod.phase}` })),
];

/** What the text names, a dozen at most. A name that starts with it comes before one that holds it; no kind crowds out another. */
export function search(input: TopicInput, query: string): readonly SearchHit[] {
  const text = query.trim().toLowerCase();
  if (text === '') return [];
  const found = searchers.map((find) => [...find(input, text)].toSorted((a, b) => rank(a, text) - rank(b, text)));
  const share = Math.ceil(maxHits / Math.max(1, found.filter((hits) => hits.length > 0).length));
  const fair = found.flatMap((hits) => hits.slice(0, share));
  const rest = found.flatMap((hits) => hits.slice(share));
  return [...fair, ...rest].slice(0, maxHits).toSorted((a, b) => rank(a, text) - rank(b, text));
}

const holds = (name: string, text: string): boolean => name.toLowerCase().includes(text);

const rank = ({ label }: SearchHit, text: string): number => (label.toLowerCase().startsWith(text) ? 0 : 1);
