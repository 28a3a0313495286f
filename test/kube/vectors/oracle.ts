import { spawnSync } from 'node:child_process';
import { StatusError } from '@quartermaster/kernel';

/** What Go's quantity type says of one value. Decimals and 64-bit integers are text, so that no digit is lost. */
export interface QuantityAnswer {
  readonly canonical: string;
  readonly format: string;
  readonly exact: string;
  readonly millis: string;
  readonly whole: string;
  readonly milliValue: string;
  readonly value: string;
  readonly roundTrips: boolean;
}

export interface PairAnswer {
  readonly sum: QuantityAnswer;
  readonly difference: QuantityAnswer;
  readonly scaled: QuantityAnswer;
  readonly negated: QuantityAnswer;
  readonly compared: number;
}

/** What the scheduler's NodeInfo has requested after the pod was added to an empty one. */
export interface PodAnswer {
  readonly cpuMillis: number;
  readonly memoryBytes: number;
  readonly ephemeralStorageBytes: number;
  readonly extended: Readonly<Record<string, number>>;
}

export interface Refusal {
  readonly error: string;
}

export interface PairQuestion {
  readonly left: string;
  readonly right: string;
  readonly by: number;
}

/** Kubernetes' own opinion, from the binary built of `test/kube/go/kubernetes/oracle`. Each call is one process for all questions. */
export class Oracle {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  quantities(texts: readonly string[]): (QuantityAnswer | Refusal)[] {
    return this.#ask(texts.map((text) => ({ op: 'quantity', text })));
  }

  pairs(pairs: readonly PairQuestion[]): (PairAnswer | Refusal)[] {
    return this.#ask(pairs.map((pair) => ({ op: 'pair', ...pair })));
  }

  pods(pods: readonly object[]): (PodAnswer | Refusal)[] {
    return this.#ask(pods.map((pod) => ({ op: 'pod', pod })));
  }

  #ask<T>(questions: readonly object[]): T[] {
    const input = questions.map((question) => `${JSON.stringify(question)}\n`).join('');
    const { status, stdout, stderr, error } = spawnSync(this.#path, { input, encoding: 'utf8', maxBuffer: 2 ** 30 });
    if (status !== 0) throw new StatusError('internal', `${this.#path} failed: ${error?.message ?? stderr}`);
    const answers = stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as T);
    if (answers.length !== questions.length) {
      throw new StatusError('internal', `${this.#path} gave ${answers.length} answers to ${questions.length} questions`);
    }
    return answers;
  }
}
