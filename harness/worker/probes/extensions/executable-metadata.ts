import { extensionStruct } from '../../../knowledge/abi/index.ts';
import { readBytes } from '../../ffi/memory.ts';
import { readData } from '../../pjrt/strings.ts';
import { StructView } from '../../pjrt/struct-view.ts';
import { probe } from '../probe.ts';
import { extensionOf, fail, someExecutable } from './support.ts';

/** Metadata of an executable: a struct of bytes that the caller gives back. */
export const executableMetadataExtension = probe('extension-executable-metadata', {}, (context) => {
  const extension = extensionOf(context, 'ExecutableMetadata');
  const executable = someExecutable(context).pointer;
  const metadata = extension.invoke(
    'get_executable_metadata',
    (call) => call.setWord('executable', executable),
    (call) => call.word('metadata'),
  );
  if (metadata === 0n) fail(extension, 'get_executable_metadata succeeded, but the metadata is NULL');
  const layout = extensionStruct('PJRT_ExecutableMetadata');
  const bytes = readBytes(metadata, layout.size);
  const view = new StructView(layout, new DataView(bytes.buffer));
  const [pointer, size] = [view.word('serialized_metadata'), view.size('serialized_metadata_size')];
  if (pointer === 0n && size > 0) fail(extension, `the metadata are NULL, and there are ${size} bytes of them`);
  readData(pointer, size);
  extension.invoke('destroy_serialized_metadata', (call) => call.setWord('metadata', metadata));
});
