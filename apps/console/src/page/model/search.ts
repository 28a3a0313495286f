import type { ConsoleSnapshot } from '../../console-source.ts';
import { nodeHref } from './cluster-summary.ts';

export interface SearchHit {
  readonly kind: 'node' | 'pod' | 'part';
  readonly label: string;
  readonly detail: string;
  readonly href: string;
}

const maxHits = 12;

/** What the words name: parts, nodes and recently changed pods. A name that starts with them comes before one that holds them. */
export function search(snapshot: ConsoleSnapshot, query: string): readonly SearchHit[] {
  const text = query.trim().toLowerCase();
  if (text === '') return [];
  const starting: SearchHit[] = [];
  const holding: SearchHit[] = [];
  for (const hit of everything(snapshot)) {
    const at = hit.label.toLowerCase().indexOf(text);
    if (at === 0) starting.push(hit);
    else if (at > 0) holding.push(hit);
    if (starting.length >= maxHits) break;
  }
  return [...starting, ...holding].slice(0, maxHits);
}

function* everything({ parts, cluster }: ConsoleSnapshot): Generator<SearchHit> {
  for (const { name, state } of parts) yield { kind: 'part', label: name, detail: state, href: '/' };
  for (const { name, state } of cluster?.nodes ?? []) yield { kind: 'node', label: name, detail: state, href: nodeHref(name) };
  for (const { namespace, name, phase } of cluster?.recentPods ?? []) {
    yield { kind: 'pod', label: name, detail: `${namespace} · ${phase}`, href: `/pods?q=${encodeURIComponent(`${namespace}/${name}`)}` };
  }
}
