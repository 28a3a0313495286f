import { Link } from 'wouter';
import type { ConsoleNode } from '../../console-source.ts';
import { useLive } from '../live/use-live.ts';
import { nodesHref, quoted } from '../model/addresses.ts';
import { nodeTone } from '../model/node-state.ts';
import { Dot } from '../parts/state-word.tsx';
import { useSession } from '../session/use-session.ts';
import { NodeHost } from './node-host.tsx';

/** Where the node is: rack → host → cluster → node. A step that is not known says so. */
export function NodeChain({ name, node }: { readonly name: string; readonly node: ConsoleNode | undefined }) {
  const { kind } = useSession();
  const { overview } = useLive();
  const server = overview?.installation.server;
  return (
    <nav aria-label="Chain" className="chain-steps">
      {node?.rack === undefined ? (
        <span className="dim">no rack known</span>
      ) : (
        <Link href={nodesHref(`rack:${quoted(node.rack)}`)}>{node.rack}</Link>
      )}
      <span aria-hidden="true">→</span>
      {kind !== 'none' && node !== undefined && (
        <>
          <NodeHost name={node.name} />
          <span aria-hidden="true">→</span>
        </>
      )}
      <Link href="/overview" title={server}>
        {overview?.installation.kubernetes === 'given' ? 'this cluster' : `${overview?.installation.kubernetes ?? 'this'} cluster`}
      </Link>
      <span aria-hidden="true">→</span>
      <span className="chain-step">
        {node !== undefined && <Dot tone={nodeTone(node)} />}
        {name}
      </span>
    </nav>
  );
}
