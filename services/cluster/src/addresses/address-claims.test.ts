import { beforeEach, describe, expect, it } from 'vitest';
import { AddressServer } from '../../test/address-server.ts';
import { addressClaim, readAddressClaim } from './moved-address.ts';

const { signal } = new AbortController();
const [address, endpoint, owner] = ['192.0.2.7', 'front', 'amy'];
const move = (from: string, to: string, changed: object = {}) => ({ address, endpoint, owner, from, to, ...changed });

describe('the claim of an address that moves', () => {
  let server: AddressServer;

  beforeEach(() => {
    server = new AddressServer();
  });

  it('is one write for each move, on and back', async () => {
    const { book, claims } = server.leader();
    await claims.move(move('a', 'b'), signal);
    expect(server.held()).toEqual(['192.0.2.7 front: b from a']);
    expect([book.heldBy('b', endpoint)?.address, book.givenBy('a', endpoint)?.lease]).toEqual([address, 'b']);
    await claims.move(move('b', 'c'), signal);
    expect(server.held()).toEqual(['192.0.2.7 front: c from a,b']);
    await claims.move(move('c', 'a'), signal);
    expect(server.held()).toEqual(['192.0.2.7 front: a from b,c']);
    expect(['a', 'b', 'c'].map((lease) => book.givenBy(lease, endpoint)?.lease)).toEqual([undefined, 'a', 'a']);
    expect(server.did).toEqual(['create 192.0.2.7', 'replace 192.0.2.7', 'replace 192.0.2.7']);
  });

  it('is not written again where it was moved already, whoever leads by then', async () => {
    await server.leader().claims.move(move('a', 'b'), signal);
    const { book, claims } = server.leader({ isBehind: true });
    expect(await claims.move(move('a', 'b'), signal)).toMatchObject({ lease: 'b' });
    expect(server.did).toEqual(['create 192.0.2.7']);
    expect(book.heldBy('b', endpoint)?.address).toBe(address);
  });

  it.each([
    ['it is with a third lease', move('b', 'd')],
    ['it is of another account', move('c', 'd', { owner: 'bob' })],
    ['it is of another account, and would be there', move('a', 'c', { owner: 'bob' })],
    ['it is of another endpoint', move('c', 'd', { endpoint: 'back' })],
  ])('stays as it is where %s', async (_what, asked) => {
    const { claims } = server.leader();
    await claims.move(move('a', 'c'), signal);
    await expect(claims.move(asked, signal)).rejects.toMatchObject({ code: 'aborted', message: expect.stringContaining('ask again') });
    expect(server.held()).toEqual(['192.0.2.7 front: c from a']);
  });

  it.each(['make it', 'replace it'])('has one winner where two %s at once', async (what) => {
    const [first, second] = [server.leader().claims, server.leader().claims];
    if (what === 'replace it') await first.move(move('z', 'a'), signal);
    server.between = () => {
      server.between = () => {};
      const [name, standing] = [...server.objects][0] ?? [];
      const won = addressClaim({ address, owner, endpoint, lease: 'c', formerly: ['a'] });
      const key = name ?? won.metadata?.name ?? '';
      server.objects.set(key, { ...won, metadata: { ...standing?.metadata, name: key, resourceVersion: '99' } });
    };
    await expect(second.move(move('a', 'b'), signal)).rejects.toMatchObject({
      code: 'aborted',
      message: expect.stringContaining('ask again'),
    });
    expect(server.held()).toEqual(['192.0.2.7 front: c from a']);
  });

  it('is given back with the lease that has it, and then the one that gave it has any again', async () => {
    const { claims } = server.leader();
    await claims.move(move('a', 'b'), signal);
    await claims.move(move('x', 'y', { address: '192.0.2.8' }), signal);
    await claims.release('b', new Set(['front']), signal);
    expect(server.held()).toHaveLength(2);
    await claims.release('b', new Set(), signal);
    expect(server.held()).toEqual(['192.0.2.8 front: y from x']);
  });

  it('forgets a lease that has the endpoint no more', async () => {
    const { claims } = server.leader();
    await claims.move(move('a', 'b'), signal);
    await claims.move(move('b', 'c'), signal);
    await claims.release('a', new Set(['back']), signal);
    expect(server.held()).toEqual(['192.0.2.7 front: c from b']);
  });

  it('is given back by a leader whose watch has not shown it, which looks once', async () => {
    await server.leader().claims.move(move('a', 'b'), signal);
    const { claims } = server.leader({ isBehind: true });
    await claims.release('c', new Set(), signal);
    await claims.release('b', new Set(), signal);
    expect(server.did).toEqual(['create 192.0.2.7', 'list', 'delete 192.0.2.7']);
  });

  it('may be gone before a watch shows that it is', async () => {
    await server.leader().claims.move(move('a', 'b'), signal);
    const { claims } = server.leader();
    await claims.caughtUp();
    server.objects.clear();
    await claims.release('b', new Set(), signal);
    await claims.release('a', new Set(), signal);
    expect(server.held()).toEqual([]);
  });

  it('is nobody’s where somebody else made a second one of an endpoint: all take the same, and the other is given back', async () => {
    const { book, claims } = server.leader();
    await claims.move(move('a', 'b', { address: '192.0.2.9' }), signal);
    await claims.move(move('c', 'b'), signal);
    expect(book.heldBy('b', endpoint)?.address).toBe(address);
    await claims.release('b', new Set(['front']), signal);
    expect(server.held()).toEqual(['192.0.2.7 front: b from c']);
  });

  it('is read only where it is named by its address', () => {
    const made = addressClaim({ address, owner, endpoint, lease: 'b', formerly: [] });
    expect(readAddressClaim(made)).toMatchObject({ address, lease: 'b', formerly: [] });
    const other = { ...made, spec: { ...made.spec, address: '192.0.2.8' } };
    expect(() => readAddressClaim(other)).toThrow('is not named by its address 192.0.2.8');
  });

  it('is not made while nobody sees the claims that there are', async () => {
    const { claims } = server.leader({ isStale: true });
    await expect(claims.move(move('a', 'b'), signal)).rejects.toMatchObject({ code: 'unavailable' });
    expect(server.held()).toEqual([]);
  });
});
