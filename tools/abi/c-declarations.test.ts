import { describe, expect, it } from 'vitest';
import { readDeclarations } from './c-declarations.ts';
import { snapshotOfHeader } from './snapshot-of-header.ts';

const HEADER = `
#define PJRT_API_MAJOR 0
#define PJRT_API_MINOR 200 // a comment
#define PJRT_STRUCT_SIZE(struct_type, last_field) \\
  offsetof(struct_type, last_field) + sizeof(((struct_type*)0)->last_field)
#ifdef __cplusplus
enum class Shade : int32_t {
#else
enum Shade : int32_t {
#endif
  DARK, LIGHT = 4,
};
typedef enum { kOne = 1u << 0, kFour = 1u << 2, kFive } Bits; /* struct Hidden { int a; }; */
typedef struct PJRT_Client PJRT_Client;
typedef void (*PJRT_Done)(PJRT_Client* client,
                          void* arg);
struct PJRT_Ask_Args {
  size_t struct_size;
  // This comment goes out of its way; it marks nothing.
  PJRT_Client *client;
  union {
    const char* text;
    bool flag;
  };
  PJRT_Done done;
  void (*deleter)(
      void* data);  // out
  int32_t dims[3];
  PJRT_Client* const* all;  // in/out
  Shade shade;              // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Ask_Args, dims);
typedef PJRT_NO_DISCARD PJRT_Error* PJRT_Ask(PJRT_Ask_Args* args);
typedef struct {
  size_t struct_size;
  _PJRT_API_STRUCT_FIELD(PJRT_Ask);
} PJRT_Api;
`;

describe('readDeclarations', () => {
  const declared = readDeclarations(HEADER, 'test.h');

  it('reads enums', () => {
    expect(Object.fromEntries(declared.enums.get('Shade')!)).toEqual({ DARK: 0, LIGHT: 4 });
    expect(Object.fromEntries(declared.enums.get('Bits')!)).toEqual({ kOne: 1, kFour: 4, kFive: 5 });
  });

  it('reads members, unions, outputs', () => {
    expect([...declared.structs.keys()]).toEqual(['PJRT_Ask_Args', 'PJRT_Api']);
    expect(declared.structs.get('PJRT_Ask_Args')!.fields).toEqual([
      { name: 'struct_size', type: 'size_t' },
      { name: 'client', type: 'PJRT_Client*' },
      { name: 'text', type: 'const char*', union: true },
      { name: 'flag', type: 'bool', union: true },
      { name: 'done', type: 'PJRT_Done' },
      { name: 'deleter', type: 'fnptr: void (*deleter)( void* data)', out: true },
      { name: 'dims', type: 'int32_t[3]' },
      { name: 'all', type: 'PJRT_Client* const*', out: true, inOut: true },
      { name: 'shade', type: 'Shade', out: true },
    ]);
  });

  it('reads function types', () => {
    expect(Object.fromEntries(declared.functions)).toEqual({
      PJRT_Done: 'void (*PJRT_Done)(PJRT_Client* client, void* arg)',
      PJRT_Ask: 'PJRT_Error* PJRT_Ask(PJRT_Ask_Args* args)',
    });
  });

  it('lays out what it read', () => {
    const { minor, structs } = snapshotOfHeader(declared, { date: '', commit: '' });
    expect(minor).toBe(200);
    const args = structs.PJRT_Ask_Args!;
    expect(args.fields.map((f) => f.offset)).toEqual([0, 8, 16, 16, 24, 32, 40, 56, 64]);
    expect([args.size, args.struct_size]).toEqual([72, 52]);
    expect(structs.PJRT_Api).toMatchObject({ size: 16, struct_size: null });
  });

  it.each(['int x : 3', 'struct { int a; } inner', 'int a, b'])(
    'refuses a member it does not understand: %s',
    (text) => {
      expect(() => readDeclarations(`struct S { ${text}; };`, 'odd.h')).toThrow(/^odd\.h:1: cannot read .*: expected /);
    },
  );
});
