import { describe, expect, it } from 'vitest';
import {
  changedFields,
  exactBytes,
  groupWords,
  planVerdict,
  refusalVerdict,
  releaseTime,
  releaseWords,
  shortfallWords,
} from './fit-words.ts';

const gib = 1024 ** 3;
const groups = [
  { vendor: 'nvidia', model: 'h100', interface: 'SXM5', memoryBytes: String(80 * gib - 1e8) },
  { vendor: 'nvidia', model: 'a100', interface: 'PCIe', memoryBytes: String(40 * gib) },
];

describe('the words of a fit', () => {
  it('begin with the answer', () => {
    const replicas = ['a', 'b', 'a'].map((node) => ({ node }));
    expect(planVerdict({ units: [{ id: 1, replicas }] })).toEqual({ tone: 'good', text: 'Yes: 3 replicas on 2 nodes.' });
    expect(refusalVerdict({ kind: 'REFUSAL_KIND_DOES_NOT_FIT', summary: 'It does not fit: there is room for 1 of 2 replicas.' })).toEqual({
      tone: 'failed',
      text: 'No: there is room for 1 of 2 replicas.',
    });
  });

  it('say what is the matter once', () => {
    const verdict = (kind: 'DOES_NOT_FIT' | 'NOT_FOUND' | 'LIMIT', summary: string) =>
      refusalVerdict({ kind: `REFUSAL_KIND_${kind}`, summary }).text;
    expect(verdict('DOES_NOT_FIT', 'It does not fit: no single node can hold one replica.')).toBe('No single node can hold one replica.');
    expect(verdict('NOT_FOUND', 'No place was found, though there may be one: the search ended after 9 steps.')).toBe(
      'Not found, though it may fit: the search ended after 9 steps.',
    );
    expect(verdict('LIMIT', 'More would be pending than is allowed: amy has 10.')).toBe('Over a limit: amy has 10.');
    expect(`${releaseWords(2)} ${releaseTime(2, '5 min')}`).toBe(
      'It fits once these pending reservations are given back: in 5 min at the latest, unless they become active',
    );
  });

  it('say no only where it is certain', () => {
    const kinds = ['REFUSAL_KIND_NOT_FOUND', 'REFUSAL_KIND_NOT_KNOWN', 'REFUSAL_KIND_LIMIT', undefined] as const;
    const verdicts = kinds.map((kind) => refusalVerdict({ ...(kind !== undefined && { kind }) }));
    expect(verdicts.map(({ tone }) => tone)).toEqual(['held', 'unknown', 'held', 'unknown']);
    expect(verdicts.map(({ text }) => text).filter((text) => text.startsWith('No:'))).toEqual([]);
    expect(refusalVerdict({ kind: 'REFUSAL_KIND_NOT_KNOWN', summary: 'The inventory is silent.' }).text).toBe(
      'Not known: The inventory is silent.',
    );
  });

  it('say what is there against what is needed, or the reason', () => {
    const short = { reason: { code: 'TooFewGpus', message: 'too few' } };
    expect(shortfallWords({ ...short, resource: 'nvidia.com/gpu', needed: '8', free: '3' })).toBe('3 of 8 GPUs free');
    expect(shortfallWords({ ...short, resource: 'cpu', needed: '8000' })).toBe('0 of 8 cores free');
    expect(shortfallWords({ ...short, resource: 'pods', needed: '1' })).toBe('0 of 1 pod slots free');
    expect(shortfallWords({ ...short, resource: 'memory', needed: String(1024 ** 4), free: String(512 * gib) })).toBe(
      '0.5 of 1 TiB memory free',
    );
    expect(shortfallWords({ ...short, resource: 'memory', needed: String(64 * gib), free: String(64 * gib - 1) })).toBe(
      '63.9 of 64 GiB memory free',
    );
    expect(shortfallWords({ ...short, resource: 'storage/beta3', needed: String(2 * gib), free: String(gib) })).toBe(
      '1 of 2 GiB of beta3 free',
    );
    expect(shortfallWords({ reason: { code: 'DiskPressure' } })).toBe('disk pressure');
    expect(groupWords({ shortfalls: [{ reason: { message: 'cordoned' } }, { reason: { message: 'cordoned' } }, short] })).toBe(
      'Cordoned, too few',
    );
  });
});

describe('a change that would fit', () => {
  it('fills the fields that it is about', () => {
    expect(changedFields({ fewerReplicas: { unit: 1, count: 3 } }, groups)).toEqual({ replicas: '3' });
    const less = (resource: string, amount: number) =>
      changedFields({ lessResource: { unit: 1, resource, amount: String(amount) } }, groups);
    expect(less('cpu', 7500)).toEqual({ cpu: '7500m' });
    expect(less('cpu', 8000)).toEqual({ cpu: '8' });
    expect(less('memory', 1.5 * gib)).toEqual({ memory: '1536 MiB' });
    expect(less('ephemeral-storage', gib)).toEqual({ disk: '1 GiB' });
    expect(less('storage/beta3', 2 * gib)).toEqual({ size: '2 GiB' });
    expect(less('nvidia.com/gpu', 4)).toEqual({ gpus: '4' });
  });

  it('names other cards as the form does', () => {
    const want = { vendor: 'nvidia', model: 'H100', interface: 'sxm', memoryBytes: String(80 * gib) };
    expect(changedFields({ otherCards: { unit: 1, want, count: 2 } }, groups)).toEqual({ model: 'nvidia h100 SXM5 80Gi', gpus: '2' });
    expect(changedFields({ otherCards: { want: { vendor: 'nvidia', model: 'b200' } } }, groups)).toBeUndefined();
  });

  it('is none of the order where others have to give something back', () => {
    expect(changedFields({ awaitRelease: { orders: [{ owner: 'a', dseq: '1' }] } }, groups)).toBeUndefined();
  });

  it.each([
    [0, '0 B'],
    [1536, '1536 B'],
    [1024 ** 2, '1 MiB'],
    [3 * 1024 ** 4, '3 TiB'],
  ])('writes %d bytes as %s, to be read back as they were', (value, text) => {
    expect(exactBytes(value)).toBe(text);
  });
});
