import { Readable } from 'node:stream';
import type { JsonValue, Message } from '@bufbuild/protobuf';
import type { Clock } from '@quartermaster/kernel';
import { CancelledCall } from '../call-runner.ts';
import { refusalOf } from './refusal.ts';
import type { StreamForm } from './rest-answer.ts';

/** A stream that fails within this time is answered with an HTTP status; after it the answer has begun, though there may be no message yet. */
const beginsAfterMs = 1_000;

/** Less than the idle timeout of the usual proxies. */
const keepAliveIntervalMs = 15_000;

export interface StreamAnswerOptions {
  readonly messages: AsyncGenerator<Message, void, undefined>;
  readonly form: StreamForm;
  readonly clock: Clock;
  readonly toJson: (message: Message) => JsonValue;
}

type Step = IteratorResult<Message, void> | 'quiet';

/** The text of a stream. Throws what the stream fails with at once; a later failure is the last thing in the text. */
export async function streamAnswer({ messages, form, clock, toJson }: StreamAnswerOptions): Promise<Readable> {
  let next = nextOf(messages);
  let step = await orQuiet(next, clock, beginsAfterMs);
  async function* texts(): AsyncGenerator<string, void, undefined> {
    try {
      while (step === 'quiet' || step.done !== true) {
        if (step !== 'quiet') {
          yield form.message(toJson(step.value));
          next = nextOf(messages);
        } else if (form.keepAlive !== undefined) {
          yield form.keepAlive;
        }
        step = await orQuiet(next, clock, keepAliveIntervalMs);
      }
    } catch (thrown) {
      if (!(thrown instanceof CancelledCall)) yield form.failure(refusalOf(thrown));
    }
  }
  const text = Readable.from(texts(), { objectMode: false, highWaterMark: 1 });
  // Not in the generator, which never runs when the caller left before the first read.
  text.once('close', () => void messages.return().catch(() => {}));
  return text;
}

function nextOf(messages: AsyncGenerator<Message, void, undefined>): Promise<IteratorResult<Message, void>> {
  const next = messages.next();
  // Whoever waits for it sees a failure; until somebody does it is not unhandled.
  next.catch(() => {});
  return next;
}

async function orQuiet(next: Promise<IteratorResult<Message, void>>, clock: Clock, afterMs: number): Promise<Step> {
  let cancel = (): void => {};
  const quiet = new Promise<'quiet'>((resolve) => {
    cancel = clock.schedule(afterMs, () => resolve('quiet'));
  });
  return await Promise.race([next, quiet]).finally(cancel);
}
