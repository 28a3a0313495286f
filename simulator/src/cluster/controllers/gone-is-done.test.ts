import { again, done } from '@quartermaster/controller';
import { StatusError } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { goneIsDone } from './gone-is-done.ts';

const failing = (details: object) =>
  goneIsDone({ name: 'r', reconcile: () => Promise.reject(new StatusError('not_found', 'patch pod a/b: gone', { details })) });
const { signal } = new AbortController();

describe('a reconciler of objects that come and go', () => {
  it('looks again a little later when what it wanted to write is gone', async () => {
    expect(await failing({ kind: 'not-found' }).reconcile('a/b', signal)).toEqual(again(500));
  });

  it('looks again a little later when the namespace of what it wanted to make is being deleted', async () => {
    const causes = [{ field: 'metadata.namespace', reason: 'NamespaceTerminating', message: 'namespace a is being terminated' }];
    expect(await failing({ kind: 'forbidden', causes }).reconcile('a/b', signal)).toEqual(again(500));
  });

  it('fails with everything else, and is done when it is', async () => {
    for (const details of [{ kind: 'server' }, { kind: 'forbidden' }, { kind: 'forbidden', causes: [] }])
      await expect(failing(details).reconcile('a/b', signal)).rejects.toThrow('patch pod a/b');
    const asked: string[] = [];
    const plain = goneIsDone({
      name: 'r',
      reconcile: (key) => {
        asked.push(key);
        return Promise.resolve(done);
      },
    });
    expect(plain.name).toBe('r');
    expect(await plain.reconcile('a/b', signal)).toBe(done);
    expect(asked).toEqual(['a/b']);
  });
});
