import { type NodeDetail, type NodeRow, nodesTopic, nodeTopic } from '@quartermaster/api/inventory-views';
import { celText } from '../../filter/cel-text.ts';
import { hostKind, may } from '../api/object-kind.ts';
import { useObjects } from '../api/use-object.ts';
import { useTopic } from '../live/use-topic.ts';
import { useSession } from '../session/session.ts';
import type { Host } from './host.ts';
import type { Linked } from './machine-chain.tsx';
import { isSameMachine, nodeNameOf } from './same-machine.ts';

const noNode = 'no node of the watched cluster';

/** The node that runs on the host: the one that its label or its name says, if it is the same machine. */
export function useNodeOfHost(host: Host): Linked<NodeRow> {
  const name = nodeNameOf(host) || host.id;
  const detail = useTopic(nodeTopic, { name });
  const row = useTopic(nodesTopic, { name });
  if (!detail.isCurrent || !row.isCurrent) return { found: undefined, why: 'node …' };
  const known = detail.news?.head.detail;
  const found = row.news?.rows[0];
  if (known === undefined || found === undefined) return { found: undefined, why: noNode };
  return isSameMachine(host, known) ? { found } : { found: undefined, why: `${noNode}: ${name} is another machine` };
}

/** The host that the node runs on: the one with its serial number or system UUID. */
export function useHostOfNode(name: string): Linked<Host> {
  const session = useSession();
  const { news, isCurrent } = useTopic(nodeTopic, { name });
  const detail = isCurrent ? news?.head.detail : undefined;
  const filter = detail === undefined ? '' : filterOf(detail);
  const isWanted = filter !== '' && may(session, 'List', hostKind);
  const { data } = useObjects<Host>(hostKind, { filter, limit: 10 }, { isWanted });
  const found = detail === undefined ? undefined : data?.items.find((each) => isSameMachine(each, detail));
  if (found !== undefined) return { found };
  const isAsking = !isCurrent || (isWanted && data === undefined);
  return { found, why: isAsking ? 'host …' : 'no host with its serial number' };
}

/** As its machine says it, and in the small letters in which the service keeps UUIDs. */
function filterOf({ machine }: NodeDetail): string {
  const uuid = machine['systemUuid'] ?? '';
  const serial = machine['serial'] ?? '';
  const byUuid = uuid === '' ? '' : `this.spec.system_uuid in [${celText(uuid)}, ${celText(uuid.toLowerCase())}]`;
  const bySerial = serial === '' ? '' : `this.spec.serial == ${celText(serial)}`;
  return [byUuid, bySerial].filter((filter) => filter !== '').join(' || ');
}
