import type { NodeRow } from '@quartermaster/api/inventory-views';
import { fillTone, fillWord, nodeState } from '@quartermaster/api/states';
import { type MouseEvent, memo, useMemo } from 'react';
import { useLocation } from 'wouter';
import { nodeHref } from '../model/addresses.ts';
import { byRack, type HeatResource, heatName, heatOf, heatResources } from '../model/heat.ts';
import { Legend } from '../parts/plots/legend.tsx';

const fewNodes = 200;

interface HeatMapProps {
  readonly nodes: readonly NodeRow[];
  readonly by: HeatResource;
  readonly isStale: boolean;
  readonly onBy: (by: HeatResource) => void;
}

/**
 * One cell for each node, grouped by rack, filled as its resource divides. The table below says the same in words and is the way for the
 * keyboard.
 */
export function HeatMap({ nodes, by, isStale, onBy }: HeatMapProps) {
  const [, navigate] = useLocation();
  const racks = useMemo(() => byRack(nodes), [nodes]);
  const open = (event: MouseEvent<HTMLElement>): void => {
    const name = event.target instanceof HTMLElement ? event.target.dataset['node'] : undefined;
    if (name === undefined || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    navigate(nodeHref(name));
  };
  return (
    <section
      className="heat"
      data-size={nodes.length <= fewNodes ? 'large' : 'small'}
      data-stale={isStale ? 'true' : undefined}
      aria-label="Map of the nodes"
    >
      <header>
        <fieldset className="heat-choice">
          <legend className="hidden-words">Coloured by</legend>
          {heatResources.map((name) => (
            <button key={name} type="button" aria-pressed={name === by} onClick={() => onBy(name)}>
              {heatName[name]}
            </button>
          ))}
        </fieldset>
        <Legend />
      </header>
      {/* Each cell leads where its row in the table leads. */}
      <div className="heat-racks" aria-hidden="true" onClick={open}>
        {racks.map(([rack, members]) => (
          <Rack key={rack} rack={rack} members={members} by={by} />
        ))}
      </div>
    </section>
  );
}

interface RackProps {
  readonly rack: string;
  readonly members: readonly NodeRow[];
  readonly by: HeatResource;
}

/** Drawn again only when one of its nodes is another object. */
const Rack = memo(
  function Rack({ rack, members, by }: RackProps) {
    return (
      <div className="heat-rack">
        <span className="dim">{rack === '' ? 'no rack' : rack}</span>
        <div className="heat-cells">
          {members.map((node) => (
            <Cell key={node.name} node={node} by={by} />
          ))}
        </div>
      </div>
    );
  },
  (before, after) =>
    before.rack === after.rack &&
    before.by === after.by &&
    before.members.length === after.members.length &&
    before.members.every((node, index) => node === after.members[index]),
);

/** The highest part is the cell itself, and those below it lie on it from the bottom up. */
const Cell = memo(function Cell({ node, by }: { readonly node: NodeRow; readonly by: HeatResource }) {
  const parts = heatOf(node, by);
  const top = parts.at(-1);
  const { word, tone } = nodeState(node.sale);
  const words =
    top === undefined
      ? `no ${heatName[by]} known`
      : `${heatName[by]} ${parts.map(({ fill, percent }) => `${percent} % ${fillWord(fill)}`).join(', ')}`;
  return (
    <a
      href={nodeHref(node.name)}
      tabIndex={-1}
      data-node={node.name}
      className={`heat-cell fill-${top === undefined ? `${tone} heat-none` : fillTone(top.fill)}`}
      title={`${node.name}: ${word}, ${words}`}
    >
      {parts.slice(0, -1).map(({ fill, from, percent }) => (
        <span key={fill} className={`fill-${fillTone(fill)}`} data-node={node.name} style={{ bottom: `${from}%`, height: `${percent}%` }} />
      ))}
    </a>
  );
});
