import { clone, create, equals } from '@bufbuild/protobuf';
import type { Timestamp } from '@bufbuild/protobuf/wkt';
import { maxServices } from '@quartermaster/api/lease-manifest';
import { type Lease, type LeaseDelivery, LeaseDeliverySchema, LeaseSchema, LeaseStatusSchema } from '@quartermaster/api/market';
import { type FieldViolation, invisible, plainLine } from '@quartermaster/kernel';
import { isReason, textViolations, unlessMatches } from '@quartermaster/objects';
import { gatewayViolations } from './gateway-rules.ts';

const states = ['Pending', 'Active', 'Error', 'Complete'];
const healths = ['starting', 'healthy', 'unhealthy', 'unknown', 'none'];

const max = { services: maxServices, uris: 100, uri: 512, problems: 20, name: 253, text: 1_000 };

/** That everything of the lease is gone: it is said of a closed one, and nothing else is. */
export const isComplete = (delivery: Pick<LeaseDelivery, 'state'> | undefined): boolean => delivery?.state === 'Complete';

/** What a provider may not say of a lease. Texts for people are not refused for their length: see `boundedDelivery`. */
export function deliveryViolations(delivery: LeaseDelivery): FieldViolation[] {
  const { state, health, reason, manifestHash, refusedHash, services, gateway } = delivery;
  const field = 'delivery';
  const names = services.map(({ name }) => name);
  return [
    ...unlessOneOf(`${field}.state`, state, states),
    ...unlessOneOf(`${field}.health`, health, healths),
    ...(isReason(reason)
      ? []
      : [
          {
            field: `${field}.reason`,
            description: 'must be one word of letters and digits, such as Unhealthy: texts belong in the message',
          },
        ]),
    ...unlessHash(`${field}.manifest_hash`, manifestHash),
    ...unlessHash(`${field}.refused_hash`, refusedHash),
    ...unlessFew(`${field}.services`, services.length, max.services),
    ...(new Set(names).size === names.length ? [] : [{ field: `${field}.services`, description: 'must have each service once' }]),
    ...services.slice(0, max.services).flatMap(({ name, health: ofService, uris, problems }, index) => {
      const at = `${field}.services.${index}`;
      return [
        ...(name !== '' && name.length <= max.name && !invisible.test(name)
          ? []
          : [{ field: `${at}.name`, description: `must have 1 to ${max.name} characters that are seen: the name of a service` }]),
        ...(ofService === '' ? [] : unlessOneOf(`${at}.health`, ofService, healths)),
        ...unlessFew(`${at}.uris`, uris.length, max.uris),
        ...uris.flatMap((uri, place) =>
          uri.length <= max.uri && !invisible.test(uri)
            ? []
            : [{ field: `${at}.uris.${place}`, description: `must have at most ${max.uri} characters, all of them seen` }],
        ),
        ...unlessFew(`${at}.problems`, problems.length, max.problems),
      ];
    }),
    ...(gateway === undefined ? [] : gatewayViolations(`${field}.gateway`, gateway)),
    ...textViolations(LeaseDeliverySchema, delivery).map((violation) => ({ ...violation, field: `${field}.${violation.field}` })),
  ];
}

/** With texts for people in one plain line each, cut where they are too long: whose lease it is would else hear nothing. */
export function boundedDelivery(delivery: LeaseDelivery): LeaseDelivery {
  const bounded = clone(LeaseDeliverySchema, delivery);
  bounded.message = cut(bounded.message);
  bounded.refusal = cut(bounded.refusal);
  for (const service of bounded.services) service.problems = service.problems.map(cut);
  return bounded;
}

function cut(text: string): string {
  const line = plainLine(text);
  return line.length <= max.text ? line : `${line.slice(0, max.text - 1).toWellFormed()}…`;
}

/** Whether two reports say the same, whenever they were made. */
export function isSameDelivery(before: LeaseDelivery | undefined, after: LeaseDelivery): boolean {
  return before !== undefined && equals(LeaseDeliverySchema, untimed(before), untimed(after));
}

const untimed = (delivery: LeaseDelivery): LeaseDelivery => {
  const copy = clone(LeaseDeliverySchema, delivery);
  delete copy.reportedAt;
  return copy;
};

/** Whether a report is a turn in the life of the lease, rather than how it goes from one moment to the next. */
export function isTurn(before: LeaseDelivery | undefined, after: LeaseDelivery): boolean {
  return (
    before?.state !== after.state ||
    before.manifestHash !== after.manifestHash ||
    before.refusal !== after.refusal ||
    before.refusedHash !== after.refusedHash
  );
}

export function withDelivery(lease: Lease, delivery: LeaseDelivery, at: Timestamp): Lease {
  const after = clone(LeaseSchema, lease);
  after.status ??= create(LeaseStatusSchema);
  after.status.delivery = Object.assign(clone(LeaseDeliverySchema, delivery), { reportedAt: at });
  return after;
}

const unlessHash = (field: string, text: string): FieldViolation[] =>
  unlessMatches(field, text, /^[0-9a-f]{64}$/, 'must be a SHA-256, hexadecimal, or empty');

const unlessOneOf = (field: string, text: string, known: readonly string[]): FieldViolation[] =>
  known.includes(text) ? [] : [{ field, description: `must be one of ${known.join(', ')}` }];

const unlessFew = (field: string, count: number, most: number): FieldViolation[] =>
  count <= most ? [] : [{ field, description: `must not have more than ${most} entries, and has ${count}` }];
