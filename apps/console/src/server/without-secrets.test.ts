import { describe, expect, it } from 'vitest';
import type { Installation } from '../installation-view.ts';
import { withoutSecrets } from './without-secrets.ts';

function snapshotWith(facts: Readonly<Record<string, string>>, installation: Partial<Installation['installation']> = {}): Installation {
  return {
    installation: {
      version: '1',
      startedAt: 0,
      kubernetes: 'given',
      server: 'https://127.0.0.1:1',
      kubeconfig: '/home/a/kubeconfig',
      ...installation,
    },
    parts: [{ name: 'bus', kind: 'external', state: 'ready', since: 0, facts }],
  };
}

describe('what leaves the process', () => {
  it('is the very same snapshot when it holds no secret', () => {
    const snapshot = snapshotWith({ address: 'https://127.0.0.1:1', pid: '12' });
    expect(withoutSecrets(snapshot)).toBe(snapshot);
  });

  it.each([
    ['a fact with a telling name', { 'api-token': 'abc' }, 'abc'],
    ['a private key', { tls: '-----BEGIN PRIVATE KEY-----\nMIIE' }, 'MIIE'],
    ['a bearer header', { header: 'Bearer abcdef' }, 'abcdef'],
    ['a JSON web token', { login: 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0abc.c2ln' }, 'c2ln'],
    ['a password in an address', { address: 'nats://me:hunter2@127.0.0.1:4222' }, 'hunter2'],
  ])('does not hold %s', (_what, facts, secret) => {
    const text = JSON.stringify(withoutSecrets(snapshotWith(facts)));
    expect(text).not.toContain(secret);
    expect(text).toContain(Object.keys(facts)[0]);
  });

  it('keeps the rest of an address whose password is cut out', () => {
    expect(withoutSecrets(snapshotWith({ address: 'nats://me:hunter2@127.0.0.1:4222' })).parts[0]?.facts).toEqual({
      address: 'nats://127.0.0.1:4222',
    });
  });

  it('holds the path of a kubeconfig, never its contents', () => {
    const text = JSON.stringify(withoutSecrets(snapshotWith({}, { kubeconfig: 'apiVersion: v1\nusers:\n- client-key-data: Zm9v' })));
    expect(text).not.toContain('Zm9v');
  });
});
