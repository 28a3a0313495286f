/** Readers of the inventory over gRPC, with a connection each. What they get is counted and thrown away. */
import { create, toBinary } from '@bufbuild/protobuf';
import { InventoryService, WatchInventoryRequestSchema } from '@quartermaster/api/inventory';
import { GrpcConnection } from '../grpc/grpc-connection.ts';

const [address = '', count = ''] = process.argv.slice(2);
const path = `/${InventoryService.typeName}/${InventoryService.method.watchInventory.name}`;
const begun = Array.from({ length: Number(count) }, () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const connection = new GrpcConnection(address, '');
  connection.stream(path, toBinary(WatchInventoryRequestSchema, create(WatchInventoryRequestSchema)), () => resolve());
  return promise;
});
process.on('disconnect', () => process.exit(0));
await Promise.all(begun);
process.send?.('begun');
