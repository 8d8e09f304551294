/* xz: the multi-threaded encoder with two threads, on input of two blocks, and what comes
   out is decoded again. */
#include <assert.h>
#include <lzma.h>
#include <string.h>

enum { SIZE = 96 };

int main(void)
{
    uint8_t input[SIZE], packed[1024], output[SIZE];
    for (int i = 0; i < SIZE; i++)
        input[i] = (uint8_t)(i * 7);
    lzma_options_lzma options;
    assert(!lzma_lzma_preset(&options, 0));
    options.dict_size = LZMA_DICT_SIZE_MIN;
    lzma_filter filters[] = {{LZMA_FILTER_LZMA2, &options}, {LZMA_VLI_UNKNOWN, NULL}};
    lzma_mt threads = {.threads = 2, .block_size = SIZE / 2, .filters = filters, .check = LZMA_CHECK_CRC32};
    lzma_stream stream = LZMA_STREAM_INIT;
    assert(lzma_stream_encoder_mt(&stream, &threads) == LZMA_OK);
    stream.next_in = input;
    stream.avail_in = SIZE;
    stream.next_out = packed;
    stream.avail_out = sizeof packed;
    lzma_ret result;
    do
        result = lzma_code(&stream, LZMA_FINISH);
    while (result == LZMA_OK);
    assert(result == LZMA_STREAM_END);
    size_t length = sizeof packed - stream.avail_out;
    lzma_end(&stream);

    uint64_t limit = UINT64_MAX;
    size_t from = 0, to = 0;
    assert(lzma_stream_buffer_decode(&limit, 0, NULL, packed, &from, length, output, &to, SIZE) == LZMA_OK);
    assert(to == SIZE && memcmp(input, output, SIZE) == 0);
    return 0;
}
