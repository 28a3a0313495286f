import { describe, expect, it } from 'vitest';
import { fieldsIn, handingOut, isSecret, methods, revealingGets } from './secret-contract.ts';

const fields = new Map(
  methods.flatMap(({ input, output }) => [...fieldsIn(input), ...fieldsIn(output)]).map((field) => [field.toString(), field]),
);

/** Texts and bytes that sound like secrets and are none. */
const noSecrets = new Set([
  'field events.v1.EventsWatchRequest.token',
  'field events.v1.EventsWatchResponse.token',
  'field private.v1.EventsWatchRequest.token',
  'field private.v1.EventsWatchResponse.token',
]);

describe('the contracts', () => {
  it('mark every field that sounds like a secret', () => {
    const sounding = [...fields.values()].filter(
      (field) =>
        field.fieldKind === 'scalar' &&
        [9, 12].includes(field.scalar) &&
        /password|secret|kubeconfig|token|private_key|credential/.test(field.name),
    );
    expect(sounding.length).toBeGreaterThan(8);
    const unmarked = sounding.filter((field) => !isSecret(field)).map(String);
    expect(unmarked.filter((name) => !noSecrets.has(name))).toEqual([]);
  });

  it('mark these', () => {
    expect([...fields.values()].filter(isSecret).map(String).toSorted()).toEqual([
      'field fulfillment.v1.ClustersGetKubeconfigResponse.kubeconfig',
      'field fulfillment.v1.ClustersGetPasswordResponse.password',
      'field private.v1.BMC.password',
      'field private.v1.ClusterStatus.kubeconfig',
      'field private.v1.ClusterStatus.password',
      'field private.v1.Hub.kubeconfig',
      'field private.v1.Hub.pull_secret',
    ]);
  });

  it('let every Get of an object with secrets ask to reveal them, by a number that no released client uses', () => {
    expect(revealingGets.length).toBe(3);
    const numbers = revealingGets.map(({ method }) => method.input.field['reveal']?.number ?? 0);
    expect(numbers.filter((number) => number < 100)).toEqual([]);
    const others = methods.filter((method) => !revealingGets.some((each) => each.method === method));
    expect(others.filter(({ input }) => input.field['reveal'] !== undefined).map(String)).toEqual([]);
  });

  it('have these methods that give out a secret by themselves', () => {
    expect(handingOut.map(({ name }) => name).toSorted()).toEqual([
      'GetKubeconfig',
      'GetKubeconfigViaHttp',
      'GetPassword',
      'GetPasswordViaHttp',
    ]);
  });
});
