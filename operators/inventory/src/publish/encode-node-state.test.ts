import { create, fromBinary } from '@bufbuild/protobuf';
import { WireType } from '@bufbuild/protobuf/wire';
import { NodeStateSchema } from '@quartermaster/api/inventory';
import { describe, expect, it } from 'vitest';
import { gpuDevice, nodeInventory } from '../../test/inventory-values.ts';
import { encodeNodeValue } from './encode-node.ts';
import { encodeNodeState } from './encode-node-state.ts';
import { nodeMessage } from './node-message.ts';

const generation = { epoch: 'e1', sequence: 5_000_000_000n };
const node = nodeInventory('nœud-1', { devices: Array.from({ length: 20 }, (_, i) => gpuDevice(`GPU-${i}`)) });
const open = create(NodeStateSchema, { clusterId: 'c1', generation, name: node.name, node: nodeMessage(node) });

describe('encodeNodeState', () => {
  it('gives a reader the same from a packed node as from an open one', () => {
    const packed = create(NodeStateSchema, { clusterId: 'c1', generation, name: node.name });
    packed.$unknown = [{ no: NodeStateSchema.field.node.number, wireType: WireType.LengthDelimited, data: encodeNodeValue(node) }];
    expect(fromBinary(NodeStateSchema, encodeNodeState(packed))).toEqual(open);
    expect(fromBinary(NodeStateSchema, encodeNodeState(open))).toEqual(open);
  });

  it('says of a node that is gone that there is none', () => {
    const gone = create(NodeStateSchema, { clusterId: 'c1', generation, name: 'n1' });
    expect(fromBinary(NodeStateSchema, encodeNodeState(gone))).toEqual(gone);
  });
});
