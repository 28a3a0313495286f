import { degraded, healthy } from '@quartermaster/service';
import { ConfigMapFuseStore } from '../fuse/fuse-store.ts';
import { type FuseOptions, RoleFuse } from '../fuse/role-fuse.ts';
import type { RoleHost } from './role-host.ts';
import type { ServeOptions } from './role-servers.ts';

/** The removal fuses of a role. What waits shows in health, metrics and status of the leader, and is approved at any replica. */
export class RoleFuses {
  readonly #host: RoleHost;
  readonly #fuses: RoleFuse[] = [];

  constructor(host: RoleHost) {
    this.#host = host;
  }

  async open(options: FuseOptions): Promise<RoleFuse> {
    const { namespace, prefix, clock, log, health } = this.#host;
    const place = { namespace, name: `quartermaster-${prefix}-removals`, fuse: options.name };
    const fuse = new RoleFuse(new ConfigMapFuseStore(await this.#host.kubernetes(), place), options, { clock, log });
    const remove = health.register(`removals of ${options.name}`, 'ready', () => {
      const problem = fuse.problem();
      return problem === undefined ? healthy : degraded(problem);
    });
    this.#host.keep(`check of ${options.name}`, remove);
    if (this.#fuses.length === 0) this.#show();
    this.#fuses.push(fuse);
    return fuse;
  }

  /** What a role serves, with the approval of its removals. */
  async served(options: ServeOptions): Promise<ServeOptions> {
    if (this.#fuses.length === 0) return options;
    // Roles without a fuse do not load the contract.
    const { removalsService } = await import('../fuse/removals-service.ts');
    const { services, restServices = services } = options;
    const removals = removalsService(this.#fuses);
    return { ...options, services: [...services, removals], restServices: [...restServices, removals] };
  }

  status(): object {
    const waiting = this.#fuses.flatMap(({ waiting: batch, options: { what } }) =>
      batch === undefined ? [] : [{ id: batch.id, what, since: batch.since, objects: batch.objects.length + batch.more }],
    );
    return this.#fuses.length === 0 ? {} : { removals: waiting };
  }

  #show(): void {
    const { metrics, prefix } = this.#host;
    const end = metrics.collectGauge(
      { name: 'quartermaster_removals_waiting', help: 'Objects whose removal waits for approval.', labels: ['role', 'fuse'] },
      () =>
        this.#fuses.map(({ waiting, options: { name } }) => ({
          labels: { role: prefix, fuse: name },
          value: waiting === undefined ? 0 : waiting.objects.length + waiting.more,
        })),
    );
    this.#host.keep('figures of removals', end);
  }
}
