import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { ExplainFitResponseSchema, RefusalKind, type RefusalSchema, ResourceRequestSchema } from '@quartermaster/api/cluster';
import { describe, expect, it } from 'vitest';
import { fitText } from './fit-text.ts';
import { refusalSummary } from './refusal-text.ts';
import { gib, look, plan, start } from './test/reservation-messages.ts';

type Answer = MessageInitShape<typeof ExplainFitResponseSchema>;

function told(answer: Answer, units = 1): readonly string[] {
  const request = create(ResourceRequestSchema, { units: Array.from({ length: units }, (_, id) => ({ id })) });
  return fitText(create(ExplainFitResponseSchema, answer), request, look).split('\n');
}

const refused = (value: MessageInitShape<typeof RefusalSchema>, nodeGroups: Answer['nodeGroups'] = []): Answer => ({
  outcome: { case: 'refusal', value },
  nodeGroups,
});

const cordoned = { reason: { code: 'Cordoned', message: 'is cordoned' } };

describe('the explanation of a request', () => {
  it('that fits shows the plan, and how many nodes would have done', () => {
    const nodeGroups = [{ count: 3n }, { count: 5n, shortfalls: [cordoned] }];
    expect(told({ outcome: { case: 'plan', value: plan }, nodeGroups })).toEqual([
      'It fits: 4 replicas on gpu-1, gpu-2.',
      '',
      'Plan',
      '  NODE   UNIT  REPLICAS  CPU  MEMORY  EPHEMERAL  GPU               VOLUMES',
      '  gpu-1  1     2         8    48 GiB  200 GiB    4 × h100          data 1 TiB of beta3',
      '  gpu-1  2     1         0.5  1 GiB   0 B        -                 -',
      '  gpu-2  1     1         4    24 GiB  100 GiB    2 × h100 or h200  data 512 GiB of beta3',
      '  Of the whole cluster: 2 external ports, 1 leased address.',
      '',
      '3 of 8 nodes have room for a replica of every unit.',
      '',
    ]);
  });

  it('that does not has the reasons, the nodes by what they lack, and the nearest that would', () => {
    const nodeGroups = [
      { count: 1n, nodes: ['gpu-9'] },
      {
        count: 120n,
        nodes: ['gpu-1', 'gpu-2'],
        shortfalls: [
          { unit: 1, resource: 'nvidia.com/gpu', needed: 2n, free: 1n },
          {
            unit: 2,
            resource: 'cpu',
            needed: 1000n,
            free: 400n,
            reason: { code: 'TooLittleCpu', message: 'has at most 0.4 cores free' },
          },
          { unit: 2, resource: 'memory', needed: 64n * gib, free: 64n * gib - 1n },
          { unit: 2, resource: 'storage/beta3', needed: 2048n * gib, free: 0n },
          { unit: 2, reason: { code: 'NoWantedGpu', message: '' } },
        ],
      },
      { count: 1n, nodes: ['gpu-3'], shortfalls: [cordoned] },
    ];
    const answer = refused(
      {
        kind: RefusalKind.DOES_NOT_FIT,
        summary: 'It does not fit: there is room for 1 of 3 replicas.',
        reasons: [
          { code: 'NoRoom', message: 'there is room for 1 of 3 replicas' },
          { code: 'PortsExhausted', message: 'no external port is free' },
          { code: 'PoolIsEmpty' },
        ],
        nearestChanges: [
          { message: 'Unit 1 fits with 1 of its 3 replicas', change: { case: 'fewerReplicas', value: { unit: 1, count: 1 } } },
          {
            message: 'It fits once 2 pending reservations are given back.',
            change: {
              case: 'awaitRelease',
              value: {
                orders: [7n, 8n].map((dseq) => ({ owner: 'akash1ann', dseq, gseq: 1, oseq: 1 })),
                expectedAt: timestampFromMs(start + 240_000),
              },
            },
          },
        ],
      },
      nodeGroups,
    );
    expect(told(answer, 2)).toEqual([
      'It does not fit: there is room for 1 of 3 replicas.',
      '',
      'Why',
      '  No external port is free.',
      '  Pool is empty.',
      '',
      'Nodes',
      '  1 node: gpu-9',
      '    has room for a replica',
      '  120 nodes: gpu-1, gpu-2, 118 more',
      '    unit 1: nvidia.com/gpu: 2 needed, at most 1 free',
      '    unit 2: CPU: 1 core needed, at most 0.4 cores free',
      '    unit 2: memory: 64 GiB needed, at most 63.9 GiB free',
      '    unit 2: storage class beta3: 2 TiB needed, at most 0 B free',
      '    unit 2: no wanted gpu',
      '  1 node: gpu-3',
      '    is cordoned',
      '',
      'What would fit',
      '  Unit 1 fits with 1 of its 3 replicas.',
      '  It fits once these reservations are given back, in 4m at the latest unless they become active:',
      '    akash1ann/7/1/1',
      '    akash1ann/8/1/1',
      '',
    ]);
  });

  it('of one unit does not say which it is, and takes the nodes of the refusal where none are beside it', () => {
    const nodeGroups = [{ count: 2n, nodes: ['a', 'b'], shortfalls: [{ unit: 1, resource: 'cpu', needed: 2000n, free: 1000n }] }];
    expect(told(refused({ summary: 'No' }, nodeGroups))).toEqual([
      'No.',
      '',
      'Nodes',
      '  2 nodes: a, b',
      '    CPU: 2 cores needed, at most 1 core free',
      '',
    ]);
  });

  it.each([
    [RefusalKind.DOES_NOT_FIT, 'It does not fit'],
    [RefusalKind.NOT_FOUND, 'No place was found, though there may be one'],
    [RefusalKind.NOT_KNOWN, 'Too little is known now to promise anything: try again'],
    [RefusalKind.LIMIT, 'More would be pending than is allowed'],
    [99 as RefusalKind, 'It was refused'],
  ])('without a summary says what kind of refusal it is: %s', (kind, text) => {
    expect(told(refused({ kind }))).toEqual([`${text}.`, '']);
  });

  it('never claims anything of an answer that it does not understand', () => {
    expect(told({})).toEqual(['The service answered without saying whether it fits.', '']);
  });
});

it('takes the full stop from a summary that another sentence goes on', () => {
  const { outcome } = create(ExplainFitResponseSchema, refused({ summary: 'No node is left.' }));
  expect(outcome.case === 'refusal' && refusalSummary(outcome.value)).toBe('No node is left');
});
