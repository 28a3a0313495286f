/** What the pages read of the market, by the names of its contract. */
import type { ResourcesJson } from '@quartermaster/api/cluster';
import type { ApiObject } from '../api/api-object.ts';
import { numberOf, wantName } from '../model/card-names.ts';
import type { Price } from './price-words.ts';

export interface OrderNumbers {
  readonly owner: string;
  /** An uint64, which JSON has as text. */
  readonly dseq: string;
  readonly gseq: number;
  readonly oseq: number;
}

interface Cards {
  readonly vendor: string;
  readonly model: string;
  readonly interface?: string | undefined;
  readonly memory_bytes?: string | undefined;
}

interface Unit {
  readonly id: number;
  readonly count: number;
  readonly cpu_millis: string;
  readonly memory_bytes: string;
  readonly gpus?: { readonly count: number; readonly wants: readonly Cards[] } | undefined;
  readonly volumes: readonly { readonly bytes: string; readonly kind: string; readonly storage_class: string }[];
  readonly random_ports: number;
  readonly leased_ips: readonly string[];
}

export interface GroupSpec {
  readonly resources?: { readonly units: readonly Unit[] } | undefined;
  readonly max_price?: Price | undefined;
  readonly services: readonly { readonly name: string; readonly count: number; readonly image: string }[];
}

export interface Group {
  readonly gseq: number;
  readonly name: string;
  readonly spec?: GroupSpec | undefined;
  readonly oseq: number;
  readonly closed_reason: string;
}

interface Ended {
  readonly state: string;
  readonly closed_at?: string | undefined;
  readonly closed_reason: string;
}

export interface DeploymentObject extends ApiObject {
  readonly spec?: { readonly choice: string } | undefined;
  readonly status?: (Ended & { readonly owner: string; readonly dseq: string; readonly groups: readonly Group[] }) | undefined;
}

export interface OrderObject extends ApiObject {
  readonly spec?: { readonly order: OrderNumbers; readonly group_name: string; readonly group?: GroupSpec | undefined } | undefined;
  readonly status?: (Ended & { readonly bids: number; readonly expires_at?: string | undefined }) | undefined;
}

export interface BidObject extends ApiObject {
  readonly spec?:
    | {
        readonly order: OrderNumbers;
        readonly provider: string;
        /** Absent where a provider withdrew a bid before it came. */
        readonly price?: Price | undefined;
        readonly offer: readonly { readonly unit: number; readonly cards: readonly Cards[] }[];
      }
    | undefined;
  readonly status?: Ended | undefined;
}

/** What a provider says of a lease. */
export interface Delivery {
  /** `Pending`, `Active`, `Error` or `Complete`. */
  readonly state: string;
  readonly reason: string;
  readonly message: string;
  readonly health: string;
  readonly reported_at?: string | undefined;
  readonly manifest_hash: string;
  /** Why the newest manifest is not deployed. */
  readonly refusal: string;
  readonly services: readonly {
    readonly name: string;
    /** Empty where the provider does not tell it of each service. */
    readonly health: string;
    readonly count: number;
    readonly available: number;
    readonly uris: readonly string[];
    readonly problems: readonly string[];
  }[];
  readonly manifest_at?: string | undefined;
  readonly deployed_at?: string | undefined;
  readonly running_at?: string | undefined;
  /** Where the provider serves the tenant. */
  readonly gateway?: { readonly uri: string } | undefined;
}

export interface LeaseObject extends ApiObject {
  readonly spec?:
    | { readonly order: OrderNumbers; readonly provider: string; readonly price?: Price | undefined; readonly group_name: string }
    | undefined;
  readonly status?: (Ended & { readonly ended_by?: string | undefined; readonly delivery?: Delivery | undefined }) | undefined;
}

/** The id of an order: its numbers without the owner. */
export const orderId = ({ dseq, gseq, oseq }: OrderNumbers): string => `${dseq}-${gseq}-${oseq}`;

export const ordersHref = '/orders';
export const orderHref = ({ owner, dseq, gseq, oseq }: OrderNumbers): string =>
  [ordersHref, ...[owner, dseq, gseq, oseq].map(encodeURIComponent)].join('/');

/** `nvidia h100 sxm 80Gi`, `any nvidia`. */
export const cardsName = ({ vendor, model, interface: form, memory_bytes: memoryBytes }: Cards): string =>
  wantName({ vendor, model, ...(form !== undefined && { interface: form }), ...(memoryBytes !== undefined && { memoryBytes }) });

/** What all replicas of a group take together. */
export function resourcesOf({ resources }: GroupSpec): ResourcesJson {
  const gpus: Record<string, string> = {};
  const storage: Record<string, string> = {};
  const sums = { cpu: 0, memory: 0, disk: 0, ports: 0 };
  const add = (to: Record<string, string>, name: string, amount: number): void => {
    to[name] = String(numberOf(to[name]) + amount);
  };
  for (const { count, cpu_millis: cpu, memory_bytes: memory, gpus: cards, volumes, random_ports: ports } of resources?.units ?? []) {
    sums.cpu += count * numberOf(cpu);
    sums.memory += count * numberOf(memory);
    sums.ports += ports;
    if (cards !== undefined && cards.count > 0) add(gpus, cards.wants.map(cardsName).join(' or '), count * cards.count);
    for (const { bytes, kind, storage_class: name } of volumes) {
      if (kind === 'VOLUME_KIND_PERSISTENT') add(storage, name, count * numberOf(bytes));
      else if (kind === 'VOLUME_KIND_RAM') sums.memory += count * numberOf(bytes);
      else sums.disk += count * numberOf(bytes);
    }
  }
  const leasedIps = new Set((resources?.units ?? []).flatMap(({ leased_ips: ips }) => ips)).size;
  return {
    gpus,
    storage,
    cpuMillis: String(sums.cpu),
    memoryBytes: String(sums.memory),
    ephemeralStorageBytes: String(sums.disk),
    ports: String(sums.ports),
    leasedIps: String(leasedIps),
  };
}
