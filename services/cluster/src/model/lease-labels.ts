import type { ObjectMeta } from '@quartermaster/kernel';
import type { LeaseId } from './lease.ts';
import { shortHash } from './lease-name.ts';
import type { OrderId } from './order.ts';

/*
 * By its labels an object of a lease is found; its annotations say which lease it is, since an account may be no value of a label. Both are written together, so that
 * whoever changes one of them is noticed.
 */

const orderParts = ['owner', 'dseq', 'gseq', 'oseq'] as const;
const leaseParts = [...orderParts, 'provider'] as const;
type Part = (typeof leaseParts)[number];
type Texts = Readonly<Record<string, string>>;
type Metadata = Pick<ObjectMeta, 'labels' | 'annotations'>;

/** On everything of a lease: the name of its namespace. */
export const namespaceLabel = 'akash.network/namespace';
/** On what is of one service of a lease: its name. */
export const serviceLabel = 'akash.network/manifest-service';
/** On the Service of a leased address: the endpoint, as the manifest calls it. */
export const endpointAnnotation = 'quartermaster.dev/endpoint';
/** On the Service of a leased address, below the domain of MetalLB: the address that it is to get and no other. */
export const askedAddress = 'loadBalancerIPs';
/** On a pod that was given its node: the unit of the plan whose place it has, whatever the manifest says by now of its service. */
export const unitLabel = 'quartermaster.dev/unit';
/** Keeps a pod from the scheduler until the leader has given it the node that the plan has for it. */
export const placementGate = 'quartermaster.dev/placement';

/** Of labels and annotations alike. */
export const leaseKey = (part: Part): string => `akash.network/lease.id.${part}`;

export const leaseKeys: readonly string[] = leaseParts.map(leaseKey);

/** Valid whatever the accounts are called. */
export function leaseLabels(lease: LeaseId): Texts {
  return Object.fromEntries(leaseParts.map((part) => [leaseKey(part), labelValue(`${lease[part]}`)]));
}

export function leaseAnnotations(lease: LeaseId): Texts {
  return Object.fromEntries(leaseParts.map((part) => [leaseKey(part), `${lease[part]}`]));
}

/** The lease that an object is of: undefined where it names none; `tampered` where labels and annotations disagree, or some of the annotations are missing. */
export function leaseOf(metadata: Metadata | undefined): LeaseId | 'tampered' | undefined {
  const texts = textsOf(metadata, leaseParts);
  if (texts === 'tampered') return texts;
  const order = orderNamed(texts);
  const provider = texts['provider'] ?? '';
  return order === undefined || provider === '' ? undefined : { ...order, provider };
}

/** As `leaseOf`, whether or not a provider is named. */
export function leasedOrderOf(metadata: Metadata | undefined): OrderId | 'tampered' | undefined {
  const texts = textsOf(metadata, orderParts);
  return texts === 'tampered' ? texts : orderNamed(texts);
}

/** What either of them says of the order, where they disagree. */
export function claimedOrders(metadata: Metadata | undefined): readonly OrderId[] {
  const { labels = {}, annotations = {} } = metadata ?? {};
  return [labels, annotations].flatMap(
    (texts) => orderNamed(Object.fromEntries(orderParts.map((part) => [part, texts[leaseKey(part)]]))) ?? [],
  );
}

function textsOf(metadata: Metadata | undefined, parts: readonly Part[]): Readonly<Record<string, string | undefined>> | 'tampered' {
  const { labels = {}, annotations = {} } = metadata ?? {};
  const isAnnotated = leaseKeys.some((key) => annotations[key] !== undefined);
  const texts: Record<string, string | undefined> = {};
  for (const part of parts) {
    const [label, text] = [labels[leaseKey(part)], annotations[leaseKey(part)]];
    if (isAnnotated && (text === undefined || label !== labelValue(text))) return 'tampered';
    texts[part] = text ?? label;
  }
  return texts;
}

const maxDseq = 2n ** 64n - 1n;
const maxSeq = 2 ** 32 - 1;

function orderNamed({ owner = '', dseq, gseq, oseq }: Readonly<Record<string, string | undefined>>): OrderId | undefined {
  const numbers = [dseq, gseq, oseq].map((text) => (text !== undefined && /^(0|[1-9]\d{0,19})$/.test(text) ? BigInt(text) : undefined));
  const [d, g, o] = numbers;
  if (owner === '' || d === undefined || g === undefined || o === undefined) return undefined;
  if (d > maxDseq || g > maxSeq || o > maxSeq) return undefined;
  return { owner, dseq: d, gseq: Number(g), oseq: Number(o) };
}

function labelValue(text: string): string {
  if (/^(?:[A-Za-z0-9](?:[-_.A-Za-z0-9]{0,61}[A-Za-z0-9])?)?$/.test(text)) return text;
  const readable = text.replaceAll(/[^A-Za-z0-9]/g, '').slice(0, 32);
  return `${readable === '' ? 'x' : readable}.${shortHash(text, 20)}`;
}
