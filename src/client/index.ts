// The door of the client: what programs that call the service import.

export { ClientError, type ClientErrorCode } from './client-error.ts';
export {
  GridClient,
  type GridClientOptions,
  type GridEntry,
  type GridQuery,
  type Login,
  type RegionDetails,
  type RegionIndex,
  type RegionShape,
} from './grid-client.ts';
