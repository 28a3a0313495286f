import { describe, expect, it } from 'vitest';
import { schemaOf } from './built-in-schemas.ts';
import { decodeBuiltIn, undecodableMessage } from './decode-built-in.ts';
import type { JsonObject } from './json.ts';
import { withZeroFields } from './zero-fields.ts';

const pod = schemaOf('', 'v1', 'Pod') ?? { type: 'any' };
const lease = schemaOf('coordination.k8s.io', 'v1', 'Lease') ?? { type: 'any' };
const secret = schemaOf('', 'v1', 'Secret') ?? { type: 'any' };

function decodedSpec(spec: JsonObject) {
  const decoded = decodeBuiltIn(pod, { spec });
  return 'object' in decoded ? decoded.object['spec'] : decoded.mismatch;
}

describe('decoding of a built-in kind', () => {
  it('writes quantities in one way', () => {
    const containers = (cpu: string | number, memory: string) => ({ containers: [{ name: 'c', resources: { limits: { cpu, memory } } }] });
    expect(decodedSpec(containers('1000m', '1024Mi'))).toEqual(containers('1', '1Gi'));
    expect(decodedSpec(containers(1.5, '1e3'))).toEqual(containers('1500m', '1e3'));
  });

  it('writes times in one way', () => {
    const decoded = decodeBuiltIn(lease, {
      metadata: { creationTimestamp: '2026-01-01T01:00:00.9+01:00' },
      spec: { renewTime: '2026-01-01T00:00:00.12Z' },
    });
    expect(decoded).toMatchObject({
      object: { metadata: { creationTimestamp: '2026-01-01T00:00:00Z' }, spec: { renewTime: '2026-01-01T00:00:00.120000Z' } },
    });
  });

  it('takes null for absent, and for the zero value where there is no absence', () => {
    expect(decodedSpec({ nodeName: null, nodeSelector: { a: null }, containers: [{ name: 'c', args: [null] }] })).toEqual({
      nodeSelector: { a: '' },
      containers: [{ name: 'c', args: [''] }],
    });
  });

  it('drops empty lists and maps that need not be there, and keeps empty structs', () => {
    expect(decodedSpec({ nodeSelector: {}, tolerations: [], containers: [], volumes: [{ name: 'v', emptyDir: {} }] })).toEqual({
      containers: [],
      volumes: [{ name: 'v', emptyDir: {} }],
    });
  });

  it('leaves unknown fields out and names them in the order of the document', () => {
    expect(decodeBuiltIn(pod, { zz: 1, spec: { yy: 1, containers: [{ name: 'c', xx: 1 }] } })).toEqual({
      object: { spec: { containers: [{ name: 'c' }] } },
      unknown: ['zz', 'spec.yy', 'spec.containers[0].xx'],
    });
  });

  it.each<[JsonObject, string]>([
    [{ priority: 'x' }, 'json: cannot unmarshal string into field spec.priority of type integer'],
    [{ priority: 1.5 }, 'json: cannot unmarshal number into field spec.priority of type integer'],
    [{ containers: {} }, 'json: cannot unmarshal object into field spec.containers of type array'],
    [{ nodeSelector: { a: true } }, 'json: cannot unmarshal boolean into field spec.nodeSelector.a of type string'],
  ])('says of %j: %s', (spec, mismatch) => {
    expect(decodeBuiltIn(pod, { spec })).toEqual({ mismatch });
  });

  it('refuses what is no base64', () => {
    expect(decodeBuiltIn(secret, { data: { a: '***' } })).toEqual({ mismatch: 'illegal base64 data' });
    expect(decodeBuiltIn(secret, { data: { a: 'aGk=' } })).toEqual({ object: { data: { a: 'aGk=' } }, unknown: [] });
  });

  it('is reported in the words of the server', () => {
    expect(undecodableMessage('Pod', 'v1', ['a', 'b'])).toBe(
      'Pod in version "v1" cannot be handled as a Pod: strict decoding error: unknown field "a", unknown field "b"',
    );
  });
});

describe('the fields that a built-in kind always has', () => {
  it('are added where they are missing, on every level', () => {
    expect(withZeroFields(pod, { spec: { containers: [{ name: 'c' }] } })).toEqual({
      metadata: {},
      spec: { containers: [{ name: 'c', resources: {} }] },
      status: {},
    });
  });
});
