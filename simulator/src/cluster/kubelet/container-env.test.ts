import type { EnvVar } from '@quartermaster/kube/shapes';
import { expect, it } from 'vitest';
import { buildHardware } from '../machine/hardware.ts';
import { readReferred, resolveEnv } from './container-env.ts';

const pod = { namespace: 'default', name: 'pod', uid: 'uid', ip: '10.64.1.2', labels: {}, annotations: {} };
const hardware = buildHardware({ cpu: 'xeon-6130', sockets: 1, memoryGiB: 64 }, 'node', 1);
const node = { name: 'node', address: '10.240.0.1', hardware };

it('a variable has its value, that of a field of the pod, or that of a key of an object, which is read once', async () => {
  const env: EnvVar[] = [
    { name: 'PLAIN', value: 'a' },
    { name: 'EMPTY' },
    { name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
    { name: 'COLOUR', valueFrom: { configMapKeyRef: { name: 'web-env', key: 'colour' } } },
    { name: 'SIZE', valueFrom: { configMapKeyRef: { name: 'web-env', key: 'size' } } },
    { name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'web-env', key: 'password' } } },
    { name: 'MISSING', valueFrom: { secretKeyRef: { name: 'web-env', key: 'colour' } } },
  ];
  const asked: string[] = [];
  const referred = await readReferred(env, async (kind, name): Promise<Readonly<Record<string, string>>> => {
    asked.push(`${kind} ${name}`);
    return kind === 'secret' ? { password: 'hidden' } : { colour: 'blue', size: 'large' };
  });
  expect(asked).toEqual(['configMap web-env', 'secret web-env']);
  expect(resolveEnv(env, pod, node, referred)).toEqual({
    HOSTNAME: 'pod',
    PLAIN: 'a',
    EMPTY: '',
    NODE: 'node',
    COLOUR: 'blue',
    SIZE: 'large',
    PASSWORD: 'hidden',
    MISSING: '',
  });
});
