import { describe, expect, it } from 'vitest';
import { lineOfComponent, lineOfFault, lineOfKubernetesEvent } from './cluster-lines.ts';

const event = {
  id: 'u1',
  type: 'Normal',
  reason: 'NodeNotReady',
  message: 'Node gpu-1 status is now: NodeNotReady',
  kind: 'Node',
  namespace: '',
  name: 'gpu-1',
  count: 3,
  source: 'node-controller',
  at: 5,
};

describe('lines of what happens in the cluster', () => {
  it('lead from an Event to what it is about, and tell a loss from what is normal', () => {
    expect(lineOfKubernetesEvent(event)).toMatchObject({
      tone: 'failed',
      word: 'NodeNotReady',
      href: '/nodes/gpu-1',
      note: 'Node gpu-1 status is now: NodeNotReady (3 times), says node-controller',
    });
    const pod = { ...event, kind: 'Pod', namespace: 'lease', name: 'web', reason: 'Pulled', source: '', count: 1, message: 'there' };
    expect(lineOfKubernetesEvent(pod)).toMatchObject({ tone: 'plain', objectId: 'lease/web', href: '/pods/lease/web', note: 'there' });
    const other = { ...pod, kind: 'Deployment', type: 'Warning' };
    expect(lineOfKubernetesEvent(other)).toMatchObject({ tone: 'held', href: undefined, kind: { name: 'others', singular: 'deployment' } });
  });

  it('say of a fault that it is simulated', () => {
    const fault = { id: '1', kind: 'latency', settings: { ms: '3000' } };
    expect(lineOfFault({ at: 1, change: 'began', fault })).toMatchObject({
      word: 'latency began',
      objectName: 'API server',
      note: 'simulated on purpose, ms 3000',
    });
    expect(lineOfFault({ at: 1, change: 'ended', fault: { ...fault, node: 'gpu-1' } })).toMatchObject({
      tone: 'good',
      href: '/nodes/gpu-1',
    });
  });

  it('tell what became of components', () => {
    expect(lineOfComponent({ at: 1, name: 'Kubernetes API', state: 'degraded', reason: 'no answer' })).toMatchObject({
      word: 'degraded',
      tone: 'held',
      note: 'no answer',
    });
  });
});
