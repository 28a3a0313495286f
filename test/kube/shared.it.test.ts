import { describe, expect, it } from 'vitest';
import { sharedControlPlane, temporaryNamespace } from './shared.ts';

describe('the shared cluster', () => {
  it('answers kubectl', async () => {
    expect(await sharedControlPlane().kubectl(['get', '--raw', '/readyz'])).toMatchObject({ exitCode: 0, stdout: 'ok' });
  });

  it('gives a namespace in which a pod can be created, until the block ends', async () => {
    const { kubectl } = sharedControlPlane();
    let name: string;
    {
      await using namespace = await temporaryNamespace('shared');
      name = namespace.name;
      const pod = ['run', 'probe', '--image=registry.invalid/probe', `--namespace=${name}`];
      expect(await kubectl(pod)).toMatchObject({ exitCode: 0 });
    }
    const phase = await kubectl(['get', 'namespace', name, '--ignore-not-found', '--output=jsonpath={.status.phase}']);
    expect(phase).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^(Terminating)?$/) });
  });

  it('gives every caller another namespace', async () => {
    await using first = await temporaryNamespace();
    await using second = await temporaryNamespace();
    expect(first.name).not.toBe(second.name);
  });
});
