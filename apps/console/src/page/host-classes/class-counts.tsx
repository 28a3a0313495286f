import { Link } from 'wouter';
import type { ApiObject } from '../api/api-object.ts';
import { hostKind } from '../api/object-kind.ts';
import { useObjects } from '../api/use-object.ts';
import { celText, hostsHref } from '../hosts/host.ts';
import { formatInteger } from '../model/amounts.ts';
import { Changing } from '../parts/changing.tsx';

/** The hosts of a class. */
export const ofClass = (id: string): string => `this.spec.class == ${celText(id)}`;

/** Those of them that could be given to a cluster now. */
export const freeOfClass = (id: string): string =>
  `${ofClass(id)} && this.status.cluster == "" && this.status.host_pool == "" && this.status.state != HOST_STATE_FAILED`;

interface HostCountProps {
  /** In the API's own language: the number is a link to the hosts that it counts. */
  readonly filter: string;
}

/** How many hosts match, counted by the service. */
export function HostCount({ filter }: HostCountProps) {
  const { data } = useObjects<ApiObject>(hostKind, { filter, limit: 0 });
  if (data === undefined) return <span className="dim">…</span>;
  return (
    <Link href={hostsHref(filter)} tabIndex={-1}>
      <Changing value={data.total}>{formatInteger(data.total)}</Changing>
    </Link>
  );
}
