import { StatusError } from '@quartermaster/kernel';
import type { BidDecision } from '../../bids/bid-decision.ts';
import type { LeaseRecord } from '../../known-leases/lease-record.ts';
import type { LeaseSight, LeaseSights } from '../../known-leases/lease-sight.ts';
import type { RecordStore } from '../../known-leases/record-store.ts';
import { orderName } from '../../reservations/order-name.ts';
import { covers, type Granted, granted, isNothing } from '../who/granted.ts';
import type { Tenant } from '../who/tenant.ts';
import type { Scope } from '../who/token-claims.ts';
import type { LeaseNumbers } from './query-values.ts';

/** A lease that a tenant may do something with. */
export interface OpenLease {
  readonly sight: LeaseSight;
  /** Services of it. */
  readonly services: Granted;
}

/** Whether the market and this provider still have it: one that ends is nobody's any more. */
export const isOpen = (record: LeaseRecord | undefined): boolean =>
  record !== undefined && record.state !== 'Complete' && record.closingAt === undefined && record.reason !== 'Closing';

export interface LeaseDoorOptions {
  readonly records: Pick<RecordStore, 'of' | 'all' | 'isRead'>;
  readonly sights: Pick<LeaseSights, 'of'>;
  readonly decisions: { all(): readonly Pick<BidDecision, 'order'>[] };
}

/** The one place where tenants come to leases: what is not theirs, or not what their token is for, is not found here. */
export class LeaseDoor {
  readonly #records: LeaseDoorOptions['records'];
  readonly #sights: Pick<LeaseSights, 'of'>;
  readonly #decisions: LeaseDoorOptions['decisions'];

  constructor({ records, sights, decisions }: LeaseDoorOptions) {
    this.#records = records;
    this.#sights = sights;
    this.#decisions = decisions;
  }

  /** Also one that is about to be recorded: clients come as soon as they have it. Throws `unavailable` until it is read who has. */
  hasLease(owner: string): boolean {
    this.#checkRead();
    return (
      this.#records.all().some(({ lease }) => lease.owner === owner) || this.#decisions.all().some(({ order }) => order.owner === owner)
    );
  }

  isOpen(name: string): boolean {
    return isOpen(this.#records.of(name));
  }

  /** Throws `not_found` for a lease that the tenant has not, or that is closed, and `permission_denied` for one that its token is not for. */
  open(tenant: Tenant, numbers: LeaseNumbers, scope: Scope): OpenLease {
    this.#checkRead();
    const name = orderName({ owner: tenant.owner, ...numbers });
    const record = this.#records.of(name);
    const sight = isOpen(record) && record?.lease.owner === tenant.owner ? this.#sights.of(name) : undefined;
    if (sight === undefined)
      throw new StatusError(
        'not_found',
        `lease ${numbers.dseq}/${numbers.gseq}/${numbers.oseq}: ${tenant.owner} has no such open lease here`,
      );
    const services = granted(tenant.access, sight.lease, scope);
    if (isNothing(services)) throw notFor(scope, `lease ${numbers.dseq}/${numbers.gseq}/${numbers.oseq}`);
    return { sight, services };
  }

  /** For what is of the lease as a whole. */
  openWhole(tenant: Tenant, numbers: LeaseNumbers, scope: Scope): LeaseSight {
    const { sight, services } = this.open(tenant, numbers, scope);
    if (services === 'all') return sight;
    throw new StatusError(
      'permission_denied',
      `the token is for the services ${[...services].join(', ')} alone, and ${scope} is of the whole lease`,
    );
  }

  /** For what is of one service. */
  openService(tenant: Tenant, numbers: LeaseNumbers, scope: Scope, service: string): LeaseSight {
    const { sight, services } = this.open(tenant, numbers, scope);
    if (!covers(services, service)) throw notFor(scope, `service ${service}`);
    if (sight.manifest?.group.services.some(({ name }) => name === service) === true) return sight;
    throw new StatusError('not_found', `service ${service}: the manifest of the lease has none of that name`);
  }

  /** Open leases of a deployment of the tenant, for all of whose services it may use the scope. Throws where there is none. */
  ofDeployment(tenant: Tenant, dseq: bigint, scope: Scope): readonly LeaseRecord[] {
    this.#checkRead();
    const all = this.#records.all().filter((record) => record.lease.owner === tenant.owner && record.lease.dseq === dseq && isOpen(record));
    // These are the words by which clients of the ecosystem know that they have to wait.
    if (all.length === 0) throw new StatusError('not_found', `no lease for deployment ${dseq}: ${tenant.owner} has none here that is open`);
    const allowed = all.filter(({ lease }) => granted(tenant.access, lease, scope) === 'all');
    if (allowed.length === 0) throw notFor(scope, `deployment ${dseq}`);
    return allowed;
  }

  /** Of leases that were not read yet nobody may be told that they have none. */
  #checkRead(): void {
    if (!this.#records.isRead) throw new StatusError('unavailable', 'the gateway is still reading the leases: try again');
  }
}

const notFor = (scope: Scope, what: string): StatusError =>
  new StatusError('permission_denied', `the token is not for ${scope} of ${what}: sign one that is`);
