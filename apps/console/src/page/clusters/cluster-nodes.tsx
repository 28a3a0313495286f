import { nodesTopic } from '@quartermaster/api/inventory-views';
import { nodeState, type Tone } from '@quartermaster/api/states';
import { useMemo } from 'react';
import { hostKind } from '../api/object-kind.ts';
import { useObjects } from '../api/use-object.ts';
import type { Host } from '../hosts/host.ts';
import { nodeNameOf } from '../hosts/same-machine.ts';
import { useTopic } from '../live/use-topic.ts';
import { countOf, formatInteger } from '../model/amounts.ts';
import { Missing } from '../parts/chain.tsx';
import { Dot } from '../parts/state-word.tsx';
import { type ClusterObject, ofCluster } from './cluster-object.ts';

// fill of a node -> in words, what needs a person first
const words: Readonly<Partial<Record<Tone, string>>> = { failed: 'not ready', unknown: 'unknown', held: 'held back', good: 'sellable' };

/** The nodes that run on the hosts of a cluster, by state, as far as the watched cluster has them. */
export function ClusterNodes({ cluster }: { readonly cluster: ClusterObject }) {
  const hosts = useObjects<Host>(hostKind, { filter: ofCluster(cluster) }).data?.items;
  const { news } = useTopic(nodesTopic, {});
  const nodes = useMemo(() => {
    const names = new Set(hosts?.map(nodeNameOf));
    return news?.rows.filter(({ name }) => names.has(name));
  }, [hosts, news]);
  if (hosts === undefined || nodes === undefined) return <Missing>nodes …</Missing>;
  if (nodes.length === 0) return <Missing>no nodes of it in the watched cluster</Missing>;
  const counts = Map.groupBy(nodes, ({ sale }) => nodeState(sale).tone);
  return (
    <span className="chain-step">
      {countOf(nodes.length, 'node')}
      {Object.entries(words).map(([tone, word]) => {
        const count = counts.get(tone as Tone)?.length ?? 0;
        if (count === 0) return null;
        return (
          <span key={tone} className="chain-step">
            <Dot tone={tone as Tone} />
            <span className="dim">{`${formatInteger(count)} ${word}`}</span>
          </span>
        );
      })}
    </span>
  );
}
