/** How a lease goes, as its provider says, of its JSON by the names of the contract. */
import type { JsonObject } from '@bufbuild/protobuf';
import { marketState } from '@quartermaster/api/states';
import { isJsonObject, listAt, textAt, valueAt } from '../../text/json-path.ts';
import { listText, table } from '../../text/table.ts';
import { ageText, nothing } from './columns.ts';

const at = 'status.delivery';

/** Whether the provider has said anything of it. */
export const isReported = (lease: JsonObject): boolean => valueAt(lease, at) !== undefined;

/** Everything of it has run: since then it may have had a bad day. */
export const hasRun = (lease: JsonObject): boolean => textAt(lease, `${at}.running_at`) !== '';

/** Why the newest manifest is not deployed. Empty: it is, or nobody knows yet. */
export const refusalOf = (lease: JsonObject): string => textAt(lease, `${at}.refusal`);

/** `Active, healthy`, `Pending`, `Error`, `Complete`; `-` while nothing is reported. */
export function deliveryText(lease: JsonObject): string {
  if (!isReported(lease)) return nothing;
  const [state, health] = [textAt(lease, `${at}.state`), textAt(lease, `${at}.health`)];
  return state === 'Active' && health !== '' && health !== 'none' ? `${state}, ${health}` : state;
}

/** `Unhealthy: web-1 cannot pull nginx:1.92`. */
export const deliveryReason = (lease: JsonObject): string =>
  [textAt(lease, `${at}.reason`), textAt(lease, `${at}.message`)].filter((text) => text !== '').join(': ');

/** Why it does not run, within a sentence. */
export const waitingFor = (lease: JsonObject): string => (deliveryReason(lease) || deliveryText(lease)).replace(/\.$/, '');

export interface DeliveredRow {
  readonly name: string;
  /** `1/2`. */
  readonly available: string;
  readonly uris: string;
  readonly problems: string;
}

export const deliveredRows = (lease: JsonObject): readonly DeliveredRow[] =>
  listAt(lease, `${at}.services`)
    .filter(isJsonObject)
    .map((service) => ({
      name: textAt(service, 'name'),
      available: `${textAt(service, 'available') || '0'}/${textAt(service, 'count') || '0'}`,
      uris: listText(listAt(service, 'uris').map(String)),
      problems: joined(listAt(service, 'problems').map(String)) || nothing,
    }));

/** Some of these texts are sentences, and others are parts of one. */
const joined = (texts: readonly string[]): string =>
  texts.reduce((before, text) => (before === '' ? text : `${before}${before.endsWith('.') ? ' ' : '; '}${text}`), '');

/**
 * `lease 7-1-1-p1: Active, healthy; web 2/2 at web.example.com`, and a line for each problem of a service. None before the provider says more than that the lease is pending.
 */
export function deliveryLines(lease: JsonObject): readonly string[] {
  const [id, state, refusal] = [textAt(lease, 'id'), deliveryText(lease), refusalOf(lease)];
  const message = textAt(lease, `${at}.message`);
  if (!isReported(lease) || (state === 'Pending' && deliveryReason(lease) === '' && refusal === '')) return [];
  const services = listAt(lease, `${at}.services`).filter(isJsonObject);
  const problems = services.flatMap((service) =>
    listAt(service, 'problems').map((problem) => `${textAt(service, 'name')}: ${String(problem)}`),
  );
  // The message repeats what is wrong with services, and that everything is well needs no words.
  const says = message !== '' && problems.length === 0 && textAt(lease, `${at}.health`) !== 'healthy';
  const parts = [
    `${state}${says ? `: ${message}` : ''}`,
    ...(refusal === '' ? [] : [`the newest manifest is refused: ${refusal}`]),
    ...(services.length === 0 ? [] : [availableText(lease)]),
  ];
  return [joined(parts), ...problems].map((text) => `lease ${id}: ${text}`);
}

const availableText = (lease: JsonObject): string =>
  deliveredRows(lease)
    .map(({ name, available, uris }) => `${name} ${available}${uris === nothing ? '' : ` at ${uris}`}`)
    .join(', ');

/** What `describe lease` says of it. */
export function deliverySections(lease: JsonObject, now: number): Readonly<Record<string, string>> {
  if (!isReported(lease)) return { Delivery: marketState(lease).word === 'Active' ? `${silence}\n` : '' };
  const reported = textAt(lease, `${at}.reported_at`);
  const rows = [
    ['State', deliveryText(lease)],
    ['Reason', deliveryReason(lease)],
    ['Refused', refusalOf(lease)],
    ['Manifest', textAt(lease, `${at}.manifest_hash`)],
    ['Received', textAt(lease, `${at}.manifest_at`)],
    ['Deployed', textAt(lease, `${at}.deployed_at`)],
    ['Running', textAt(lease, `${at}.running_at`)],
    ['Reported', reported === '' ? '' : `${reported} (${ageText(reported, now)} ago)`],
  ].filter(([, value]) => value !== '');
  const [first = [], ...rest] = rows;
  const services = deliveredRows(lease);
  return {
    Delivery: table(first, rest),
    Services:
      services.length === 0
        ? ''
        : table(
            ['SERVICE', 'AVAILABLE', 'ADDRESSES', 'PROBLEMS'],
            services.map(({ name, available, uris, problems }) => [name, available, uris, problems]),
          ),
  };
}

export const silence = 'The provider has not reported on this lease yet.';
