import { type Clock, coalesced } from '@quartermaster/kernel';
import { type Cache, type CacheOpener, type FieldSelection, isRead, kinds, type Selected } from '@quartermaster/kube';
import type { Service } from '@quartermaster/kube/shapes';
import type { NodePortUse } from '../model/knowledge.ts';
import type { Reason } from '../placement/stock-facts.ts';
import { type SilentSource, silenceOf } from './freshness.ts';
import type { NamespaceUids } from './namespace-uids.ts';
import { silentCache } from './silent-cache.ts';

const fields = {
  metadata: { namespace: true },
  spec: { ports: { nodePort: true }, healthCheckNodePort: true },
} as const satisfies FieldSelection<Service>;

export interface NodePortsOptions {
  readonly caches: CacheOpener;
  readonly namespaces: NamespaceUids;
  readonly changed: (use: NodePortUse) => void;
  /** How long Services may be silent. */
  readonly maxAgeMs: number;
  readonly clock: Clock;
}

const intervalMs = 100;

/** The ports of nodes that Services have, by namespace. Told once all Services were read, and whenever one changed. */
export class NodePorts {
  readonly #options: NodePortsOptions;
  readonly #services: Cache<{ readonly namespace: string; readonly ports: number }>;
  readonly #telling: ReturnType<typeof coalesced>;
  readonly #unsubscribe: () => void;

  constructor(options: NodePortsOptions) {
    const { caches, namespaces, clock } = options;
    this.#options = options;
    this.#telling = coalesced(clock, intervalMs, () => this.#tell());
    this.#services = caches.open({
      type: kinds.services,
      fields,
      project: (service) => ({ namespace: service.metadata?.namespace ?? '', ports: portsOf(service) }),
    });
    const changed = this.#telling.trigger;
    this.#services.subscribe({ added: changed, updated: changed, deleted: changed });
    this.#unsubscribe = namespaces.subscribe(changed);
  }

  silent(): readonly SilentSource[] {
    return silentCache(this.#services, this.#options.clock);
  }

  /** Resolves when they were told. */
  async whenRead(signal: AbortSignal): Promise<void> {
    await this.#services.whenSynced(signal);
    this.#tell();
  }

  async stop(): Promise<void> {
    this.#telling.stop();
    this.#unsubscribe();
    await this.#services.stop();
  }

  #tell(): void {
    if (!isRead(this.#services.status())) return;
    const byNamespace = new Map<string, number>();
    let others = 0;
    for (const { value } of this.#services.entries()) {
      const uid = value.ports === 0 ? undefined : this.#options.namespaces.of(value.namespace);
      if (uid === undefined) others += value.ports;
      else byNamespace.set(uid, (byNamespace.get(uid) ?? 0) + value.ports);
    }
    const problem = (): Reason | undefined => this.#problem();
    this.#options.changed({
      byNamespace,
      others,
      get problem() {
        return problem();
      },
    });
  }

  #problem(): Reason | undefined {
    const { maxAgeMs, clock } = this.#options;
    const message = silenceOf(this.silent(), maxAgeMs, clock.monotonic());
    return message === undefined ? undefined : { code: 'PortCapacityUnknown', message };
  }
}

/** The same number for several protocols is one port. */
function portsOf({ spec }: Selected<Service, typeof fields>): number {
  const ports = new Set(spec?.ports?.map(({ nodePort = 0 }) => nodePort)).add(spec?.healthCheckNodePort ?? 0);
  ports.delete(0);
  return ports.size;
}
