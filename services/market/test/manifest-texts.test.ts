import { createHash } from 'node:crypto';
import { generateManifest, manifestToSortedJSON, type SDLInput, yaml } from '@akashnetwork/chain-sdk';
import { SendManifestRequest } from '@akashnetwork/chain-sdk/private-types/provider.akash.v1';
import { fromBinary } from '@bufbuild/protobuf';
import { SendManifestRequestSchema } from '@quartermaster/api/akash-provider';
import { groupsOfMessages, manifestJson, readManifest, sortedManifest } from '@quartermaster/api/lease-manifest';
import { describe, expect, it } from 'vitest';
import { goodSdl } from './good-sdl.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** What our reader drops of these: nothing that a cluster service runs by. */
const dropped: ReadonlyMap<string, string> = new Map([
  ['aliases', 'attributes of CPU'],
  ['ip-endpoint', 'the order of ports in the SDL'],
  ['port-ranges', 'the order of ports in the SDL'],
  ['storage-classes', 'a persistent volume without a class'],
  ['texts', 'a variable without ='],
]);

describe.each([...goodSdl])('the manifest of %s', (name, text) => {
  const result = generateManifest(yaml.template<SDLInput>(text), 'mainnet');
  if (!result.ok) throw new Error(`${name} is no SDL`);
  const { groups } = result.value;
  const json = manifestToSortedJSON(groups);

  it(`has ${dropped.has(name) ? 'another' : 'the same'} hash when it is written from what was read of it`, () => {
    const written = manifestJson(readManifest(json));
    expect(sha256(written) === sha256(json)).toBe(!dropped.has(name));
    expect(readManifest(written)).toEqual(readManifest(json));
  });

  it('has the same hash in whatever order and under whichever names it is sent', () => {
    const reversed = JSON.stringify(JSON.parse(json), (_key, value: unknown) =>
      typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.fromEntries(Object.entries(value).reverse()) : value,
    );
    expect(sortedManifest(reversed)).toBe(json);
    expect(sortedManifest(reversed.replaceAll('"size":', '"quantity":'))).toBe(json);
  });

  it('has the same hash when it comes as messages', () => {
    const sent = SendManifestRequest.encode(SendManifestRequest.fromPartial({ manifest: groups })).finish();
    expect(groupsOfMessages(fromBinary(SendManifestRequestSchema, sent).manifest)).toBe(json);
  });
});
