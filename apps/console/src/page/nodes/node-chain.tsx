import { Link } from 'wouter';
import type { ConsoleNode } from '../../console-source.ts';
import { useLive } from '../live/use-live.ts';
import { nodesHref, quoted } from '../model/addresses.ts';

/** Where the node is: rack → cluster → node. A step that is not known says so. */
export function NodeChain({ node }: { readonly node: ConsoleNode | undefined }) {
  const { overview } = useLive();
  const server = overview?.installation.server;
  return (
    <nav aria-label="Chain" className="chain">
      {node?.rack === undefined ? (
        <span className="dim">no rack known</span>
      ) : (
        <Link href={nodesHref(`rack:${quoted(node.rack)}`)}>{node.rack}</Link>
      )}
      <span aria-hidden="true">→</span>
      <Link href="/overview" title={server}>
        {overview?.installation.kubernetes === 'given' ? 'this cluster' : `${overview?.installation.kubernetes ?? 'this'} cluster`}
      </Link>
      <span aria-hidden="true">→</span>
    </nav>
  );
}
