import { create } from '@bufbuild/protobuf';
import { WireType } from '@bufbuild/protobuf/wire';
import { NodeStateSchema } from '@quartermaster/api/inventory';
import { nodesTopic } from '@quartermaster/api/inventory-topics';
import { describe, expect, it } from 'vitest';
import { gpuDevice, nodeInventory } from '../../test/inventory-values.ts';
import { encodeNodeValue } from './encode-node.ts';
import { encodeNodeState } from './encode-node-state.ts';
import { nodeMessage } from './node-message.ts';

const generation = { epoch: 'e1', sequence: 5_000_000_000n };
const node = nodeInventory('nœud-1', { devices: Array.from({ length: 20 }, (_, i) => gpuDevice(`GPU-${i}`)) });
const open = create(NodeStateSchema, { clusterId: 'c1', generation, name: node.name, node: nodeMessage(node) });

describe('encodeNodeState', () => {
  it('gives a reader of the topic the same from a packed node as from an open one', () => {
    const packed = create(NodeStateSchema, { clusterId: 'c1', generation, name: node.name });
    packed.$unknown = [{ no: NodeStateSchema.field.node.number, wireType: WireType.LengthDelimited, data: encodeNodeValue(node) }];
    expect(nodesTopic.codec.decode(encodeNodeState(packed))).toEqual(open);
    expect(nodesTopic.codec.decode(encodeNodeState(open))).toEqual(open);
  });

  it('says of a node that is gone that there is none', () => {
    const gone = create(NodeStateSchema, { clusterId: 'c1', generation, name: 'n1' });
    expect(nodesTopic.codec.decode(encodeNodeState(gone))).toEqual(gone);
  });
});
