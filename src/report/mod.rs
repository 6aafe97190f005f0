//! What people see: made of events and nothing else.
