import type { JsonObject } from '@bufbuild/protobuf';
import { entriesAt, isJsonObject, listAt, textAt } from '../text/json-path.ts';
import { listText } from '../text/table.ts';

/** What a gateway says of a lease at this moment, as it says it, or why it cannot be asked. */
export type LiveStatus = { readonly body: JsonObject } | { readonly problem: string };

export interface LiveService {
  /** `2/2 available, 1/2 updated`. */
  readonly replicas: string;
  /** Hostnames, ports that are forwarded, and leased addresses. */
  readonly addresses: string;
}

/** What is so of each service, by its name. */
export function liveServices(body: JsonObject): ReadonlyMap<string, LiveService> {
  return new Map(
    entriesAt(body, 'services').flatMap(([name, service]) => {
      if (!isJsonObject(service)) return [];
      const number = (field: string): number => Number(textAt(service, field));
      const [total, updated] = [number('total'), number('updated_replicas')];
      const replicas = `${number('available')}/${total} available${updated < total ? `, ${updated}/${total} updated` : ''}`;
      const entries = (field: string) => listAt(body, `${field}.${name}`).filter(isJsonObject);
      const ports = entries('forwarded_ports').map((port) => {
        const host = textAt(port, 'host');
        return `${host}:${textAt(port, 'externalPort')}->${textAt(port, 'port')}/${textAt(port, 'proto')}`;
      });
      const ips = entries('ips').map(
        (ip) => `${textAt(ip, 'IP')}:${textAt(ip, 'ExternalPort')}->${textAt(ip, 'Port')}/${textAt(ip, 'Protocol')}`,
      );
      return [[name, { replicas, addresses: listText([...listAt(service, 'uris').map(String), ...ports, ...ips]) }] as const];
    }),
  );
}
