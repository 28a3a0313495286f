import { takesNodePorts } from '../kinds/service-rules.ts';
import { type JsonObject, listAt, numberAt, objectAt, textAt } from '../object/api-object.ts';
import type { Store } from '../store/store.ts';

const firstPort = 30_000;
const ports = 2768;

const lacksNodePort = (port: JsonObject): boolean => (numberAt(port, 'nodePort') ?? 0) === 0;

/** The addresses of Services, as the API server tells of them. */
export const serviceRange = '10.96.0.0/16';

/** Gives Services their cluster address and node ports, each to one Service at a time. */
export class ServiceAddresses {
  readonly #store: Store;
  #lastAddress = 0;
  #lastPort = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  complete(service: JsonObject): JsonObject {
    const spec = objectAt(service, 'spec');
    if (spec['type'] === 'ExternalName') return service;
    const takesPorts = takesNodePorts(spec);
    const lacksPorts = takesPorts && listAt(spec, 'ports').some(lacksNodePort);
    if (textAt(spec, 'clusterIP') !== '' && Array.isArray(spec['clusterIPs']) && !lacksPorts) return service;
    const { addresses, nodePorts } = this.#taken();
    const clusterIP = textAt(spec, 'clusterIP') || this.#freeAddress(addresses);
    const listed = listAt(spec, 'ports').map((port) => {
      if (!takesPorts || !lacksNodePort(port)) return port;
      const nodePort = this.#freePort(nodePorts);
      nodePorts.add(nodePort);
      return { ...port, nodePort };
    });
    return { ...service, spec: { ...spec, clusterIP, clusterIPs: [clusterIP], ...(listed.length === 0 ? {} : { ports: listed }) } };
  }

  #taken(): { readonly addresses: Set<string>; readonly nodePorts: Set<number> } {
    const [addresses, nodePorts] = [new Set<string>(), new Set<number>()];
    for (const [, service] of this.#store.collection('/services').range('')) {
      addresses.add(textAt(service, 'spec', 'clusterIP'));
      for (const port of listAt(service, 'spec', 'ports')) nodePorts.add(numberAt(port, 'nodePort') ?? 0);
    }
    return { addresses, nodePorts };
  }

  #freeAddress(taken: ReadonlySet<string>): string {
    for (;;) {
      this.#lastAddress = (this.#lastAddress % 65_000) + 1;
      const address = `10.96.${this.#lastAddress >> 8}.${this.#lastAddress & 255}`;
      if (!taken.has(address)) return address;
    }
  }

  #freePort(taken: ReadonlySet<number>): number {
    for (let tries = 0; ; tries += 1) {
      this.#lastPort = (this.#lastPort + 1) % ports;
      if (!taken.has(firstPort + this.#lastPort) || tries > ports) return firstPort + this.#lastPort;
    }
  }
}
