import { type NodeDetail, nodeTopic } from '@quartermaster/api/inventory-views';
import { Link } from 'wouter';
import { nameOf } from '../api/api-object.ts';
import { celText, hostKind, may } from '../api/object-kind.ts';
import { useObjects } from '../api/use-object.ts';
import { type Host, hostHref } from '../hosts/host.ts';
import { hostState } from '../hosts/host-state.ts';
import { isSameMachine } from '../hosts/same-machine.ts';
import { useTopic } from '../live/use-topic.ts';
import { Dot } from '../parts/state-word.tsx';
import { useSession } from '../session/session.ts';

/** The host that the node runs on: the one with its serial number or system UUID. */
export function NodeHost({ name }: { readonly name: string }) {
  const session = useSession();
  const { news, isCurrent } = useTopic(nodeTopic, { name });
  const detail = isCurrent ? news?.head.detail : undefined;
  const filter = detail === undefined ? '' : filterOf(detail);
  const isWanted = filter !== '' && may(session, 'List', hostKind);
  const { data } = useObjects<Host>(hostKind, { filter, limit: 10 }, { isWanted });
  const host = detail === undefined ? undefined : data?.items.find((each) => isSameMachine(each, detail));
  if (host !== undefined) {
    return (
      <span className="chain-step">
        <Dot tone={hostState(host).tone} />
        <Link href={hostHref(host.id)}>{nameOf(host)}</Link>
      </span>
    );
  }
  const isAsking = detail === undefined || (isWanted && data === undefined);
  return <span className="dim">{isAsking ? 'host …' : 'no host with its serial number'}</span>;
}

/** As its machine says it, and in the small letters in which the service keeps UUIDs. */
function filterOf({ machine }: NodeDetail): string {
  const uuid = machine['systemUuid'] ?? '';
  const serial = machine['serial'] ?? '';
  const byUuid = uuid === '' ? '' : `this.spec.system_uuid in [${celText(uuid)}, ${celText(uuid.toLowerCase())}]`;
  const bySerial = serial === '' ? '' : `this.spec.serial == ${celText(serial)}`;
  return [byUuid, bySerial].filter((filter) => filter !== '').join(' || ');
}
