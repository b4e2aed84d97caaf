// OpenSSL 3 from the system; functions for what OpenSSL offers as macros only.
#pragma once
#include <openssl/ssl.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/rand.h>
#include <openssl/hmac.h>
#include <openssl/bio.h>
#include <stdlib.h>
#include <string.h>
static inline long copenssl_set_min_proto_version(SSL_CTX *context, int version) {
    return SSL_CTX_set_min_proto_version(context, version);
}
static inline long copenssl_set_max_proto_version(SSL_CTX *context, int version) {
    return SSL_CTX_set_max_proto_version(context, version);
}
static inline long copenssl_set_mode(SSL_CTX *context, long mode) { return SSL_CTX_set_mode(context, mode); }
static inline long copenssl_set_session_cache_mode(SSL_CTX *context, long mode) {
    return SSL_CTX_set_session_cache_mode(context, mode);
}
static inline long copenssl_bio_get_mem_data(BIO *bio, char **data) { return BIO_get_mem_data(bio, data); }
static inline long copenssl_set_signature_algorithms(SSL_CTX *context, const char *names) {
    return SSL_CTX_set1_sigalgs_list(context, names);
}
static inline uint64_t copenssl_op_no_ticket(void) { return SSL_OP_NO_TICKET; }
static inline long copenssl_set_server_name(SSL *session, const char *name) {
    return SSL_set_tlsext_host_name(session, name);
}
static inline long copenssl_add_chain_certificate(SSL_CTX *context, X509 *certificate) {
    return SSL_CTX_add1_chain_cert(context, certificate);
}
static inline int copenssl_certificate_count(const STACK_OF(X509) *chain) { return sk_X509_num(chain); }
static inline X509 *copenssl_certificate(const STACK_OF(X509) *chain, int index) {
    return sk_X509_value(chain, index);
}
static inline uint64_t copenssl_op_no_renegotiation(void) { return SSL_OP_NO_RENEGOTIATION; }
/// X509_NAME_print_ex(3) in the form of RFC 2253.
static inline int copenssl_print_name(BIO *bio, const X509_NAME *name) {
    return X509_NAME_print_ex(bio, name, 0, XN_FLAG_RFC2253);
}

/// What a buffer BIO reads from and writes to. Bytes to read are borrowed. Bytes that were written stand at the borrowed
/// `target` first and, once one write did not fit there, in `spill`, which is the BIO's own.
typedef struct {
    const unsigned char *source;
    size_t source_count;
    unsigned char *target;
    size_t target_count, target_capacity;
    unsigned char *spill;
    size_t spill_count, spill_capacity;
} copenssl_buffers;

static inline int copenssl_buffer_read(BIO *bio, char *bytes, size_t capacity, size_t *count) {
    copenssl_buffers *buffers = (copenssl_buffers *)BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    if (buffers->source_count == 0) {
        BIO_set_retry_read(bio);
        return 0;
    }
    *count = capacity < buffers->source_count ? capacity : buffers->source_count;
    memcpy(bytes, buffers->source, *count);
    buffers->source += *count;
    buffers->source_count -= *count;
    return 1;
}
static inline int copenssl_buffer_write(BIO *bio, const char *bytes, size_t count, size_t *written) {
    copenssl_buffers *buffers = (copenssl_buffers *)BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    if (buffers->spill_count == 0 && buffers->target_capacity - buffers->target_count >= count) {
        memcpy(buffers->target + buffers->target_count, bytes, count);
        buffers->target_count += count;
    } else {
        if (buffers->spill_capacity - buffers->spill_count < count) {
            size_t capacity = buffers->spill_count + count + buffers->spill_capacity;
            unsigned char *larger = (unsigned char *)realloc(buffers->spill, capacity);
            if (!larger) return 0;
            buffers->spill = larger;
            buffers->spill_capacity = capacity;
        }
        memcpy(buffers->spill + buffers->spill_count, bytes, count);
        buffers->spill_count += count;
    }
    *written = count;
    return 1;
}
static inline long copenssl_buffer_control(BIO *bio, int command, long number, void *pointer) {
    (void)bio, (void)number, (void)pointer;
    return command == BIO_CTRL_FLUSH;
}
static inline int copenssl_buffer_create(BIO *bio) {
    BIO_set_init(bio, 1);
    return 1;
}
static inline void copenssl_forget_spill(copenssl_buffers *buffers) {
    free(buffers->spill);
    buffers->spill = NULL;
    buffers->spill_count = buffers->spill_capacity = 0;
}
/// The kind of BIO that works on `copenssl_buffers`; NULL without memory.
static inline BIO_METHOD *copenssl_buffer_method(void) {
    BIO_METHOD *method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "buffers");
    if (!method) return NULL;
    BIO_meth_set_read_ex(method, copenssl_buffer_read);
    BIO_meth_set_write_ex(method, copenssl_buffer_write);
    BIO_meth_set_ctrl(method, copenssl_buffer_control);
    BIO_meth_set_create(method, copenssl_buffer_create);
    return method;
}
