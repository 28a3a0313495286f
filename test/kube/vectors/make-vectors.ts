import type { Oracle } from './oracle.ts';
import { podInputs } from './pod-inputs.ts';
import { quantityPairs, quantityTexts } from './quantity-inputs.ts';

/** The inputs beside this file with the oracle's answers: exactly what the committed vector files hold. */
export function makeQuantityVectors(oracle: Oracle): object {
  const answers = oracle.quantities(quantityTexts);
  const pairAnswers = oracle.pairs(quantityPairs);
  return {
    quantities: quantityTexts.map((text, i) => ({ text, ...answers[i] })),
    pairs: quantityPairs.map((pair, i) => ({ ...pair, ...pairAnswers[i] })),
  };
}

export function makePodVectors(oracle: Oracle): object {
  const answers = oracle.pods(podInputs.map((input) => input.pod));
  return { pods: podInputs.map((input, i) => ({ ...input, expected: answers[i] })) };
}
