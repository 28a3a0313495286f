import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { InventoryService, ListAllocationsRequestSchema, ListAllocationsResponseSchema } from '@quartermaster/api/inventory';
import { GrpcConnection } from '../grpc/grpc-connection.ts';

const path = `/${InventoryService.typeName}/${InventoryService.method.listAllocations.name}`;

/** How long the operator takes for each of the first pages of all that pods hold. */
export async function allocationPages(address: string, pages: number): Promise<number[]> {
  const connection = new GrpcConnection(address, '');
  try {
    const took: number[] = [];
    let pageToken = '';
    for (let page = 0; page < pages; page += 1) {
      const startedAt = performance.now();
      const answer = await connection.unary(
        path,
        toBinary(ListAllocationsRequestSchema, create(ListAllocationsRequestSchema, { pageToken })),
      );
      took.push(performance.now() - startedAt);
      pageToken = fromBinary(ListAllocationsResponseSchema, answer).nextPageToken;
      if (pageToken === '') break;
    }
    return took;
  } finally {
    connection.close();
  }
}
