import type { CountedContainer, CountedPod, ResourceAmounts } from '@quartermaster/kube';
import fc from 'fast-check';
import type { PairQuestion } from './oracle.ts';

const suffixes = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const charOf = (alphabet: string): fc.Arbitrary<string> => fc.constantFrom(...alphabet.split(''));
const digits = (maxLength: number): fc.Arbitrary<string> =>
  fc.oneof(
    fc.string({ unit: charOf('0123456789'), maxLength }),
    fc.nat().map(String),
    fc.tuple(fc.integer({ min: 1, max: 9999 }), fc.nat(6)).map(([value, zeros]) => `${value}${'0'.repeat(zeros)}`),
  );
const sign = fc.constantFrom('', '', '', '-', '+');
const fraction = fc.oneof({ weight: 3, arbitrary: fc.constant('') }, { weight: 2, arbitrary: digits(14).map((text) => `.${text}`) });
const exponent = fc
  .tuple(fc.constantFrom('e', 'E'), fc.constantFrom('', '+', '-'), fc.nat(30))
  .map(([letter, direction, value]) => `${letter}${direction}${value}`);
const suffix = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...suffixes) }, { weight: 1, arbitrary: exponent });

const wellFormed = fc.tuple(sign, digits(24), fraction, suffix).map((parts) => parts.join(''));
const withDigits = fc.tuple(sign, fc.nat(), digits(20), fraction, suffix).map((parts) => parts.join(''));
const alphabetSoup = fc.string({ unit: charOf('0123456789.+-eEinumkKMGTP _'), maxLength: 8 });
const nearMiss = fc
  .tuple(wellFormed, fc.nat(12), charOf('.+-eEimkKMB 0'))
  .map(([text, at, extra]) => text.slice(0, at) + extra + text.slice(at));

/** Texts that look like quantities; about a third are refused. Long exponents are left out: we refuse them on purpose. */
export const quantityTexts: fc.Arbitrary<string> = fc
  .oneof({ weight: 5, arbitrary: wellFormed }, { weight: 2, arbitrary: nearMiss }, { weight: 1, arbitrary: alphabetSoup })
  .filter((text) => !/[eE][+-]?[0-9]{3,}$/.test(text));

/** Pairs that are always accepted. */
export const pairQuestions: fc.Arbitrary<PairQuestion> = fc.record({
  left: fc.oneof(withDigits, fc.constantFrom('0', '0Ki', '0e3', '+1', '1.500')),
  right: withDigits,
  by: fc.integer({ min: -100_000, max: 100_000 }),
});

const resourceNames = [
  ...['cpu', 'cpu', 'cpu', 'memory', 'memory', 'ephemeral-storage', 'nvidia.com/gpu', 'hugepages-2Mi', 'hugepages-1Gi', 'pods', 'storage'],
  ...['attachable-volumes-csi', 'kubernetes.io/batch', 'requests.example.com/a', 'example.com/bad_', 'Upper.com/x', 'gadget', 'a/b/c'],
];
/** As a person writes them, within 64 bits after any sum that a pod can make, and never negative: the API server refuses that. */
const amount = fc
  .tuple(
    fc.nat(4000),
    fraction.map((text) => text.slice(0, 8)),
    fc.constantFrom('n', 'u', 'm', 'm', '', '', 'k', 'M', 'G', 'Ki', 'Mi', 'Gi', 'e3', 'e-3'),
  )
  .map((parts) => parts.join(''));
const amountsOf = (texts: fc.Arbitrary<string>): fc.Arbitrary<ResourceAmounts> =>
  fc.dictionary(fc.constantFrom(...resourceNames), texts, { maxKeys: 4 });
const amounts = amountsOf(amount);
const sometimes = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(arbitrary, { nil: undefined, freq: 2 });
const requested = fc.record({ requests: amounts }, { requiredKeys: [] });

/**
 * Without fractions, so that they fit Go's 64-bit form. With its longer form (Pi, Ei, more than 18 digits) the scheduler adds overhead
 * into the pod it was given, and so counts it more than once.
 */
const podLevel = fc.record({ requests: amountsOf(amount.map((text) => text.replace(/[.][0-9]*/, ''))) }, { requiredKeys: [] });

const container = (prefix: string, restartPolicy: fc.Arbitrary<string | undefined>): fc.Arbitrary<CountedContainer> =>
  fc.record({ name: fc.nat(3).map((n) => `${prefix}${n}`), resources: fc.option(requested, { nil: undefined }), restartPolicy });

const statuses = fc.array(
  fc.record({
    name: fc.tuple(fc.constantFrom('app', 'init'), fc.nat(3)).map((parts) => parts.join('')),
    resources: fc.option(requested, { nil: undefined }),
    allocatedResources: fc.option(amounts, { nil: undefined }),
  }),
  { maxLength: 5 },
);
const condition = fc.record({
  type: fc.constantFrom('PodResizePending', 'PodResizePending', 'PodResizeInProgress', 'Ready'),
  reason: fc.constantFrom('Infeasible', 'Infeasible', 'Deferred', 'Error', undefined),
});

/** Pods that an API server could have stored, as far as counting goes. */
export const storedPods: fc.Arbitrary<CountedPod> = fc.record({
  spec: fc.record({
    containers: fc.array(container('app', fc.constant(undefined)), { maxLength: 4 }),
    initContainers: fc.array(container('init', fc.constantFrom('Always', 'Always', 'OnFailure', undefined)), { maxLength: 4 }),
    overhead: fc.option(amounts, { nil: undefined }),
    resources: fc.option(podLevel, { nil: undefined }),
  }),
  status: fc.record({
    phase: fc.constantFrom('Pending', 'Running', 'Succeeded', 'Failed'),
    conditions: fc.array(condition, { maxLength: 3 }),
    containerStatuses: sometimes(statuses),
    initContainerStatuses: sometimes(statuses),
    resources: sometimes(requested),
    allocatedResources: sometimes(amounts),
  }),
});
