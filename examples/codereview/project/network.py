def connect_to_service(timeout=30):
    retries = 3
    for attempt in range(retries):
        try:
            return establish_connection(timeout)
        except TimeoutError:
            if attempt == retries - 1:
                raise
            time.sleep(5)

def establish_connection(timeout):
    # Connection implementation
    pass
