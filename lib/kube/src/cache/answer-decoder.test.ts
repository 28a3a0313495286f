import { describe, expect, it } from 'vitest';
import { answerDecoder } from './answer-decoder.ts';

const buffer = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
const metadata = { name: 'a', namespace: 'n', uid: 'u', resourceVersion: '7', labels: { app: 'web' }, managedFields: [{ manager: 'm' }] };
const pod = { kind: 'Pod', metadata, spec: { nodeName: 'one', containers: [{ name: 'app', image: 'i' }] } };
const identity = { name: 'a', namespace: 'n', uid: 'u', resourceVersion: '7' };

describe('an answer decoder', () => {
  it('gives identity and selected fields of each item, and all of the metadata of the list', () => {
    const list = { kind: 'PodList', metadata: { resourceVersion: '9', continue: 'c' }, items: [pod] };
    expect(answerDecoder({ spec: { containers: { name: true } } }).list(buffer(list))).toEqual({
      metadata: { resourceVersion: '9', continue: 'c' },
      items: [{ metadata: identity, spec: { containers: [{ name: 'app' }] } }],
    });
  });

  it('adds the identity to selected metadata', () => {
    const { event } = answerDecoder({ metadata: { labels: true } });
    expect(event(buffer({ type: 'ADDED', object: pod }))).toEqual({
      type: 'ADDED',
      object: { metadata: { ...identity, labels: { app: 'web' } } },
    });
  });

  it('takes all metadata where all of it is selected', () => {
    expect(answerDecoder({ metadata: true }).event(buffer({ type: 'ADDED', object: pod }))).toEqual({
      type: 'ADDED',
      object: { metadata },
    });
  });

  it('gives the whole status of an error event', () => {
    const event = { type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' } };
    expect(answerDecoder({ spec: true }).event(buffer(event))).toEqual(event);
  });

  it('gives whole objects but their managedFields without a selection', () => {
    const { managedFields: _, ...rest } = metadata;
    expect(answerDecoder(true).event(buffer({ type: 'ADDED', object: pod }))).toEqual({
      type: 'ADDED',
      object: { ...pod, metadata: rest },
    });
  });
});
