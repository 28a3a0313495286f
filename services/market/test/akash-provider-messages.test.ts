import { LeaseID } from '@akashnetwork/chain-sdk/private-types/akash.v1';
import { GroupSpec } from '@akashnetwork/chain-sdk/private-types/akash.v1beta4';
import { ResourceOffer } from '@akashnetwork/chain-sdk/private-types/akash.v1beta5';
import * as library from '@akashnetwork/chain-sdk/private-types/provider.akash.v1';
import { Group } from '@akashnetwork/chain-sdk/private-types/provider.akash.v2beta3';
import { type DescField, type DescMessage, fromBinary, fromJson, type JsonValue, ScalarType, toBinary, toJson } from '@bufbuild/protobuf';
import * as ours from '@quartermaster/api/akash-provider';
import { describe, expect, it } from 'vitest';

/** What the library has of a message; its types differ for each. */
interface OfLibrary {
  decode(bytes: Uint8Array): unknown;
  encode(message: never): { finish(): Uint8Array };
  toJSON(message: never): unknown;
}

/** Each reaches others: together they are all that our contracts have. */
const messages: readonly (readonly [DescMessage, OfLibrary])[] = [
  [ours.StatusSchema, library.Status],
  [ours.BidScreeningRequestSchema, library.BidScreeningRequest],
  [ours.BidScreeningResponseSchema, library.BidScreeningResponse],
  [ours.SendManifestRequestSchema, library.SendManifestRequest],
  [ours.SendManifestResponseSchema, library.SendManifestResponse],
  [ours.ServiceStatusRequestSchema, library.ServiceStatusRequest],
  [ours.ServiceStatusResponseSchema, library.ServiceStatusResponse],
  [ours.ServiceLogsRequestSchema, library.ServiceLogsRequest],
  [ours.ServiceLogsResponseSchema, library.ServiceLogsResponse],
  [ours.LeaseIDSchema, LeaseID],
  [ours.GroupSpecSchema, GroupSpec],
  [ours.ResourceOfferSchema, ResourceOffer],
  [ours.GroupSchema, Group],
];

/** Later than the library. */
const newer: ReadonlySet<string> = new Set(['reclamation_window', 'leased_ip']);
const moment = '2026-01-02T03:04:05.000Z';

/** Every field has a value, and no two of one kind the same. */
function full(descriptor: DescMessage, place = ''): JsonValue {
  if (descriptor.typeName === 'google.protobuf.Timestamp') return moment;
  if (descriptor.typeName === 'google.protobuf.Duration') return '3s';
  return Object.fromEntries(
    descriptor.fields.map((field) => {
      const at = `${place}/${field.name}`;
      if (field.fieldKind === 'map') return [field.name, { beta2: full(field.message as DescMessage, at) }];
      return [field.name, field.fieldKind === 'list' ? [single(field, `${at}/0`), single(field, `${at}/1`)] : single(field, at)];
    }),
  );
}

function single(field: DescField, place: string): JsonValue {
  if (field.message !== undefined) return full(field.message, place);
  if (field.enum !== undefined) return field.enum.values[1]?.name ?? '';
  if (place.endsWith('/amount')) return '1500000000000000000';
  const number = 1_000 * field.number + place.length;
  if (field.scalar === ScalarType.STRING) return place;
  if (field.scalar === ScalarType.BYTES) return Buffer.from(place).toString('base64');
  if (field.scalar === ScalarType.BOOL) return true;
  return field.scalar === ScalarType.UINT64 || field.scalar === ScalarType.INT64 ? `${number}` : number;
}

const without = (value: unknown, changed: (key: string, each: unknown) => unknown): unknown => JSON.parse(JSON.stringify(value, changed));
const known = (value: unknown): unknown => without(value, (key, each) => (newer.has(key) ? undefined : each));
/** It has amounts as people write them, and moments as an object that JSON writes so. */
const written = (value: unknown): unknown =>
  without(value, (key, each) => (key === 'amount' && each === '1.5' ? '1500000000000000000' : each));

describe.each(messages)('%s', (descriptor, of) => {
  const sample = full(descriptor);
  const sent = toBinary(descriptor, fromJson(descriptor, sample));

  it('is read by the published library as we send it', () => {
    expect(written(of.toJSON(of.decode(sent) as never))).toEqual(known(sample));
  });

  it('is read by us as the published library sends it', () => {
    const bytes = of.encode(of.decode(sent) as never).finish();
    const read = toJson(descriptor, fromBinary(descriptor, bytes), { useProtoFieldName: true });
    expect(without(read, (key, each) => (key === 'timestamp' ? moment : each))).toEqual(known(sample));
  });
});
