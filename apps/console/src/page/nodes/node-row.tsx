import { memo } from 'react';
import { Link } from 'wouter';
import type { ConsoleNode } from '../../console-source.ts';
import { formatBytes, formatCores, formatInteger } from '../model/amounts.ts';
import { nodeHref } from '../model/cluster-summary.ts';
import { nodeTone } from '../model/node-state.ts';
import { Changing } from '../parts/changing.tsx';
import { StateWord } from '../parts/state-word.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';

interface NodeRowProps {
  readonly node: ConsoleNode;
  readonly index: number;
  readonly top: number;
  readonly isActive: boolean;
  readonly onChoose: (name: string) => void;
}

export const NodeRow = memo(function NodeRow({ node, index, top, isActive, onChoose }: NodeRowProps) {
  return (
    <div
      role="row"
      id={`node-row-${index}`}
      aria-rowindex={index + 2}
      aria-selected={isActive}
      className={`grid-row node-columns${index % 2 === 0 ? '' : ' odd'}`}
      style={{ transform: `translateY(${top}px)` }}
      onMouseDown={() => onChoose(node.name)}
    >
      <div role="gridcell" className="cell cell-name">
        <Link href={nodeHref(node.name)} tabIndex={-1} title={node.name}>
          {node.name}
        </Link>
      </div>
      <div role="gridcell" className="cell cell-state">
        <Changing value={node.state}>
          <StateWord tone={nodeTone(node)} word={node.state} />
        </Changing>
      </div>
      <div role="gridcell" className="cell cell-rack">
        {node.rack ?? <span className="dim">–</span>}
      </div>
      <div role="gridcell" className="cell cell-cpu number" title={`${node.cpuMillis} millicores`}>
        {formatCores(node.cpuMillis)}
      </div>
      <div role="gridcell" className="cell cell-memory number" title={`${node.memoryBytes} bytes`}>
        {formatBytes(node.memoryBytes)}
      </div>
      <div role="gridcell" className="cell cell-gpus">
        <GpuWords gpus={node.gpus} />
      </div>
      <div role="gridcell" className="cell cell-pods number">
        <Changing value={node.pods}>{formatInteger(node.pods)}</Changing>
      </div>
      <div role="gridcell" className="cell cell-heartbeat number">
        {node.heartbeatAt === undefined ? <span className="dim">never</span> : <TimeAgo at={node.heartbeatAt} />}
      </div>
    </div>
  );
});

export function GpuWords({ gpus }: { readonly gpus: ConsoleNode['gpus'] }) {
  const words = Object.entries(gpus).map(([model, count]) => `${formatInteger(count)} × ${model}`);
  return words.length === 0 ? <span className="dim">–</span> : <span title={words.join(', ')}>{words.join(', ')}</span>;
}
