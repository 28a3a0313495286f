import type { NodeRow } from '@quartermaster/api/inventory-views';
import { Link } from 'wouter';
import { nodesHref, quoted } from '../model/addresses.ts';
import { nodeTone } from '../model/node-state.ts';
import { Chain } from '../parts/chain.tsx';
import { Dot } from '../parts/state-word.tsx';
import { useSession } from '../session/session.ts';
import { useInstallation } from '../upstreams/use-installation.ts';
import { NodeHost } from './node-host.tsx';

/** Rack → host → cluster → node. */
export function NodeChain({ name, node }: { readonly name: string; readonly node: NodeRow | undefined }) {
  const { isOfFulfillment } = useSession();
  const { server, kubernetes } = useInstallation()?.installation ?? {};
  return (
    <Chain
      steps={{
        rack:
          node?.rack === undefined ? (
            <span className="dim">no rack known</span>
          ) : (
            <Link href={nodesHref(`rack:${quoted(node.rack)}`)}>{node.rack}</Link>
          ),
        host: isOfFulfillment && node !== undefined && <NodeHost name={node.name} />,
        cluster: (
          <Link href="/overview" title={server}>
            {kubernetes === undefined || kubernetes === 'given' ? 'this cluster' : `${kubernetes} cluster`}
          </Link>
        ),
        node: (
          <span className="chain-step">
            {node !== undefined && <Dot tone={nodeTone(node)} />}
            {name}
          </span>
        ),
      }}
    />
  );
}
